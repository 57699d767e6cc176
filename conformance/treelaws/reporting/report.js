// The page of a report: tables of verdicts, filters kept in the address, and a panel for each law.
// What a report says reaches the page through `make` alone, as text: subjects name themselves.
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const FAILING = new Set(["error", "broken", "stale-known"]);
  const GROUPS = ["verdict", "family", "level"];
  // A title or label that is longer tells nobody more.
  const MOST = 300;
  // Signs that do not show, or that turn the text around them.
  const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

  // ---- Elements

  const visible = (text) =>
    text.replace(UNSEEN, (sign) => `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`);

  const short = (text) => (text.length > MOST ? `${text.slice(0, MOST)} …` : text);

  /** Make an element. `content` is its text, or the elements in it; false ones are left out. */
  function make(tag, attributes = {}, content = []) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, visible(String(value)));
    }
    if (typeof content === "string") element.textContent = visible(content);
    else element.append(...content.filter(Boolean));
    return element;
  }

  /** Let a long name be broken where its words end. */
  const breakable = (name) =>
    name.split(/(?<=[._])/).flatMap((word) => [visible(word), make("wbr")]);

  function button(label, action, attributes = {}) {
    const made = make("button", { type: "button", ...attributes }, label);
    made.addEventListener("click", action);
    return made;
  }

  /** Group items by what `of` gives for them, in the order in which groups first occur. */
  function grouped(items, of) {
    const found = new Map();
    for (const item of items) {
      const group = of(item);
      if (found.has(group)) found.get(group).push(item);
      else found.set(group, [item]);
    }
    return found;
  }

  // ---- The report

  const data = JSON.parse(at("data").textContent);

  const laws = data.laws.map((told, number) => {
    const { id, statement, source, level, topic, family, since, page } = told;
    const dot = id.lastIndexOf(".");
    return {
      number, id, statement, source, topic, since, page,
      // As the chips of the filters spell them.
      level: visible(level),
      family: visible(family),
      prefix: id.slice(0, Math.max(dot, 0)),
      name: id.slice(dot + 1),
      searched: `${id}\n${statement}`.toLowerCase(),
      cells: new Map(),
      shown: true,
      heading: null,
    };
  });
  const lawOf = new Map(laws.map((law) => [law.id, law]));

  // A row leaves out what is empty.
  const EMPTY = {
    advisory: false, departure: "", reason: "", difference: "", key: "", input: "", script: "",
    answer: "",
  };
  const ranks = Object.keys(data.verdicts);
  const rows = data.rows.map((told) => {
    const row = { ...EMPTY, ...told, law: lawOf.get(told.law) };
    row.rank = ranks.indexOf(row.verdict);
    row.sign = data.verdicts[row.verdict];
    row.fails = FAILING.has(row.verdict) && !row.advisory;
    const { subject, departure, reason, difference } = row;
    row.searched = `${subject}\n${departure}\n${reason}\n${difference}`.toLowerCase();
    return row;
  });

  // Of a law on a subject there may be several rows: its own, and those of known departures.
  const worseFirst = (a, b) => a.rank - b.rank || a.advisory - b.advisory;
  const sameKey = grouped(rows.filter((row) => row.key), (row) => row.key);
  for (const row of rows) {
    const cells = row.law.cells;
    if (!cells.has(row.subject)) {
      cells.set(row.subject, { law: row.law, subject: row.subject, rows: [], matches: true });
    }
    cells.get(row.subject).rows.push(row);
  }

  function label(cell) {
    const [row] = cell.rows;
    const more = cell.rows.length > 1 ? ` (worst of ${cell.rows.length} results)` : "";
    return `${row.verdict}${row.advisory ? ", fails nothing" : ""}${more}`;
  }

  // ---- Tables: one for each family of laws

  const cellOf = new Map();
  const tables = [];

  function cellElement(cell, worded) {
    if (!cell) {
      return make("td", { class: "cell empty", tabindex: -1, "aria-label": "not tried" });
    }
    const [row] = cell.rows.sort(worseFirst);
    const told = `${label(cell)}: ${short(cell.law.id)} on ${short(cell.subject)}`;
    const named = { title: told, "aria-label": told };
    const content = worded
      ? [signOf(row), " ", make("span", { class: "word" }, row.verdict)]
      : row.sign;
    cell.element = make("td", { class: `cell ${look(row)}`, tabindex: -1, ...named }, content);
    cellOf.set(cell.element, cell);
    return cell.element;
  }

  const look = (row) => `v-${row.verdict.replace(" ", "-")}${row.advisory ? " advisory" : ""}`;

  const signOf = (row) =>
    make("span", { class: `sign ${look(row)}`, "aria-hidden": "true" }, row.sign);

  function lawButton(law, across = false) {
    const title = short(`${law.id}\n${law.statement}`);
    const attributes = { type: "button", class: "law", tabindex: -1, title };
    law.heading = make("button", attributes, across ? law.name : breakable(law.name));
    law.heading.addEventListener("click", () => open(law, ""));
    return law.heading;
  }

  const topics = (members) => [...grouped(members, (law) => law.prefix).values()];

  function topicLine(law, columns) {
    const name = [make("span", {}, law.topic || law.prefix), make("code", {}, law.prefix)];
    const head = make("th", { scope: "rowgroup", ...(columns ? { colspan: columns } : {}) }, name);
    return make("tr", { class: "topic" }, [head]);
  }

  function line(table, cells, elements) {
    const element = make("tr", {}, elements);
    table.lines.push({ element, cells, shown: true });
    return element;
  }

  /** Laws of one subject: a list, with room for what they say. */
  function list(table, members, subject) {
    const head = ["Verdict", "Law", "Statement"].map((name) => make("th", { scope: "col" }, name));
    const bodies = topics(members).map((group) => {
      const lines = group.map((law) => {
        const cell = law.cells.get(subject);
        return line(table, [cell], [
          cellElement(cell, true),
          make("th", { scope: "row" }, [lawButton(law)]),
          make("td", { class: "statement" }, law.statement),
        ]);
      });
      return body(table, [topicLine(group[0], 2), ...lines]);
    });
    return make("table", { class: "list", role: "grid" }, [
      make("thead", {}, [make("tr", {}, head)]),
      ...bodies,
    ]);
  }

  function body(table, elements) {
    const made = make("tbody", {}, elements);
    table.bodies.push(made);
    return made;
  }

  function column(table, heading) {
    const col = make("col");
    table.columns.push({ heading, col, shown: true });
    return col;
  }

  /** Laws by subjects; where there are few laws and many subjects, subjects by laws. */
  function matrix(table, members, subjects) {
    const turned = subjects.length > 40 && subjects.length > 2 * members.length;
    table.turned = turned;
    const across = turned
      ? members.map((law) => make("th", { scope: "col" }, [lawButton(law, true)]))
      : subjects.map((name) =>
          make("th", { scope: "col", title: short(name) }, [make("span", {}, short(name))]));
    const cols = across.map((heading) => column(table, heading));
    const lineOf = (heading, cells) =>
      line(table, cells, [
        make("th", { scope: "row" }, [heading]),
        ...cells.map((cell) => cellElement(cell)),
      ]);
    const bodies = turned
      ? [body(table, subjects.map((name) =>
          lineOf(
            make("span", { title: short(name) }, short(name)),
            members.map((law) => law.cells.get(name)),
          )))]
      : topics(members).map((group) =>
          body(table, [
            topicLine(group[0]),
            ...group.map((law) =>
              lineOf(lawButton(law), subjects.map((name) => law.cells.get(name)))),
          ]));
    const corner = make("th", { scope: "col", class: "corner" }, turned ? "Subject" : "Law");
    return make("table", { class: turned ? "matrix turned" : "matrix", role: "grid" }, [
      make("colgroup", {}, [make("col", { class: "first" }), ...cols]),
      make("thead", {}, [make("tr", {}, [corner, ...across])]),
      ...bodies,
    ]);
  }

  function build(family, members) {
    const subjects = [...new Set(members.flatMap((law) => [...law.cells.keys()]))];
    subjects.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const table = { members, lines: [], bodies: [], columns: [], turned: false };
    const id = `family-${tables.length}`;
    const single = subjects.length === 1;
    table.told = make("span", { class: "told" });
    table.grid = single ? list(table, members, subjects[0]) : matrix(table, members, subjects);
    table.grid.setAttribute("aria-labelledby", id);
    table.about = () => (single ? `on ${short(subjects[0])}` : `by ${seen(table)} subjects`);
    const heading = make("h2", { id }, [make("span", {}, family || "unknown family"), table.told]);
    const box = single ? table.grid : make("div", { class: "box" }, [table.grid]);
    table.section = make("section", { "aria-labelledby": id }, [heading, box]);
    tables.push(table);
    return table.section;
  }

  /** Say how many subjects a matrix shows, and of how many. */
  function seen(table) {
    const along = table.turned ? table.lines : table.columns;
    return portion(along.filter((one) => one.shown).length, along.length);
  }

  const portion = (shown, all) => (shown === all ? `${all}` : `${shown} of ${all}`);

  const families = grouped(laws, (law) => law.family);
  at("none").before(...[...families].map(([family, members]) => build(family, members)));
  const inOrder = tables.flatMap((table) => table.members);

  // ---- Filters

  const state = { q: "", fails: false, law: "", subject: "" };
  for (const group of GROUPS) state[group] = new Set();
  const chips = [...document.querySelectorAll(".chip")];

  /** Say which rows of a law match: of each word, the law or the row must hold it. */
  function matching(law, words) {
    const apart = words.filter((word) => !law.searched.includes(word));
    const out =
      (state.family.size && !state.family.has(law.family)) ||
      (state.level.size && !state.level.has(law.level));
    return (row) =>
      !out &&
      (!state.fails || row.fails) &&
      (!state.verdict.size || state.verdict.has(row.verdict)) &&
      apart.every((word) => row.searched.includes(word));
  }

  function show(thing, shown, ...elements) {
    // Untouched elements are laid out no anew.
    if (thing.shown === shown) return;
    thing.shown = shown;
    for (const element of elements) element.hidden = !shown;
  }

  function apply() {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    let shownLaws = 0;
    let shownRows = 0;
    for (const law of laws) {
      const matches = matching(law, words);
      law.shown = false;
      for (const cell of law.cells.values()) {
        const found = cell.rows.filter(matches).length;
        shownRows += found;
        if (found) law.shown = true;
        if (cell.matches !== Boolean(found)) {
          cell.matches = Boolean(found);
          cell.element.classList.toggle("off", !found);
        }
      }
      shownLaws += law.shown;
    }
    tables.forEach(applyTo);
    at("none").hidden = shownLaws > 0;
    at("none").textContent = laws.length
      ? "No law matches these filters."
      : "This report holds no results.";
    const counts = [portion(shownLaws, laws.length), portion(shownRows, rows.length)];
    const [lawWord, rowWord] = [laws, rows].map((all, index) =>
      `${index ? "result" : "law"}${all.length === 1 ? "" : "s"}`);
    at("count").textContent = `${counts[0]} ${lawWord}, ${counts[1]} ${rowWord}`;
    at("clear").hidden = !filtered();
  }

  function applyTo(table) {
    const used = table.columns.map(() => false);
    for (const one of table.lines) {
      let any = false;
      one.cells.forEach((cell, index) => {
        if (!cell?.matches) return;
        any = true;
        used[index] = true;
      });
      show(one, any, one.element);
    }
    table.columns.forEach((one, index) => {
      if (one.shown === used[index]) return;
      const inLines = table.lines.map((each) => each.element.children[index + 1]);
      show(one, used[index], one.heading, one.col, ...inLines);
    });
    for (const group of table.bodies) {
      group.hidden = ![...group.rows].some((row) => !row.hidden && row.className !== "topic");
    }
    const shown = table.members.filter((law) => law.shown).length;
    const all = table.members.length;
    const counted = `${portion(shown, all)} ${all === 1 ? "law" : "laws"}`;
    table.told.textContent = visible(`${counted} ${table.about()}`);
    table.section.hidden = !shown;
    enter(table.grid);
  }

  const filtered = () =>
    Boolean(state.q || state.fails || GROUPS.some((group) => state[group].size));

  // ---- The address

  function address() {
    const found = new URLSearchParams();
    for (const name of ["q", "law", "subject"]) if (state[name]) found.set(name, state[name]);
    if (state.fails) found.set("fails", "1");
    for (const group of GROUPS) for (const value of state[group]) found.append(group, value);
    return found.toString();
  }

  let pending = 0;

  function remember() {
    // Browsers refuse an address that changes with every key.
    clearTimeout(pending);
    pending = setTimeout(() => {
      const hash = address();
      if (hash === location.hash.slice(1)) return;
      try {
        history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
      } catch {
        location.hash = hash;
      }
    }, 150);
  }

  function recall() {
    const found = new URLSearchParams(location.hash.slice(1));
    state.q = found.get("q") ?? "";
    state.fails = found.has("fails");
    for (const group of GROUPS) state[group] = new Set(found.getAll(group));
    at("search").value = state.q;
    at("fails").checked = state.fails;
    press();
    apply();
    const law = lawOf.get(found.get("law"));
    if (law) open(law, found.get("subject") ?? "");
    else close();
  }

  function press() {
    for (const chip of chips) {
      const { group, value } = chip.dataset;
      chip.setAttribute("aria-pressed", String(state[group].has(value)));
    }
  }

  function changed() {
    press();
    apply();
    remember();
  }

  // ---- The panel

  const panel = at("panel");
  const narrow = matchMedia("(max-width: 56rem)");
  let current = [];

  function safeLink(address) {
    let found = null;
    try {
      found = new URL(address);
    } catch {
      return make("span", {}, address);
    }
    if (found.protocol !== "https:" && found.protocol !== "http:") {
      return make("span", {}, address);
    }
    const attributes = { href: found.href, target: "_blank", rel: "noopener noreferrer" };
    return make("a", attributes, address);
  }

  async function copy(content, pressed, block) {
    let done = false;
    try {
      await navigator.clipboard.writeText(content);
      done = true;
    } catch {
      // A page from a file may have no right to the clipboard; an old command still works.
      done = copySelected(content);
      pressed.focus();
    }
    if (!done) getSelection().selectAllChildren(block);
    const told = done ? "Copied" : "Selected: press Ctrl+C";
    pressed.textContent = told;
    at("said").textContent = told;
    setTimeout(() => {
      pressed.textContent = "Copy";
      at("said").textContent = "";
    }, 2000);
  }

  function copySelected(content) {
    const field = make("textarea", { class: "unseen", "aria-hidden": "true" });
    field.value = content;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }

  function code(title, content, kind) {
    const block = make("pre", { tabindex: 0, role: "region", "aria-label": title }, content);
    const pressed = button("Copy", () => copy(content, pressed, block), {
      class: "copy",
      "aria-label": `Copy: ${short(title)}`,
    });
    return make("div", { class: `code ${kind}` }, [
      make("div", { class: "code-head" }, [make("h4", {}, title), pressed]),
      block,
    ]);
  }

  function sameBug(row) {
    const others = (sameKey.get(row.key) ?? []).filter((other) => other !== row);
    if (!others.length) return null;
    const items = others.slice(0, 20).map((other) =>
      make("li", {}, [
        button(short(`${other.law.id} [${other.subject}]`), () => open(other.law, other.subject), {
          class: "to",
        }),
      ]));
    const more = others.length > 20 && make("li", {}, `and ${others.length - 20} more`);
    return make("div", { class: "same" }, [
      make("p", {}, "The same cause:"),
      make("ul", {}, [...items, more]),
    ]);
  }

  function detail(row) {
    const answer = row.answer ? `Standalone script: ${row.answer}` : "Standalone script";
    return [
      row.reason && make("p", { class: "reason" }, row.reason),
      row.difference && code("Difference", row.difference, "difference"),
      row.input && code("Minimal input", row.input, "input"),
      row.script && code(answer, row.script, "script"),
      ...(row.behind ?? []).flatMap(behind),
      row.key && sameBug(row),
    ].filter(Boolean);
  }

  /** A breach of another kind that the first one of a row hides. */
  function behind(one) {
    return [
      make("p", { class: "reason" }, "It also breaks in another way:"),
      code("Difference", one.difference, "difference"),
      code("Minimal input", one.input, "input"),
      code(`Standalone script: ${one.answer}`, one.script, "script"),
    ];
  }

  function time(ms) {
    return ms >= 60000 ? `${(ms / 60000).toFixed(1)} min` : `${(ms / 1000).toFixed(2)} s`;
  }

  /** One row: a line, which opens where there is more to say. */
  function result(row, opened) {
    const figures = [
      row.examples && `${row.examples} ${row.examples === 1 ? "example" : "examples"}`,
      (row.ms || row.examples) && time(row.ms),
    ].filter(Boolean);
    const parts = [
      signOf(row),
      make("span", { class: "verdict" }, row.verdict),
      make("span", { class: "subject" }, row.subject),
      row.advisory && make("span", { class: "mark" }, "fails nothing"),
      row.departure && make("span", { class: "mark" }, `known departure: ${row.departure}`),
      make("span", { class: "figures" }, figures.join(", ")),
    ];
    if (!(row.reason || row.difference || row.input || row.script)) {
      return make("div", { class: "result" }, [make("div", { class: "line" }, parts)]);
    }
    const made = make("details", { class: "result" }, [make("summary", { class: "line" }, parts)]);
    const fill = () => {
      if (made.open && made.children.length === 1) made.append(...detail(row));
    };
    made.addEventListener("toggle", fill);
    made.open = opened;
    fill();
    return made;
  }

  function facts(law) {
    const known = [
      ["Level", law.level && make("span", {}, law.level)],
      ["Topic", law.topic && make("span", {}, law.topic)],
      ["Since", law.since && make("span", {}, law.since)],
      ["Source", law.source && safeLink(law.source)],
      ["Page", law.page && safeLink(law.page)],
    ];
    const pairs = known.filter(([, value]) => value).map(([name, value]) =>
      make("div", {}, [make("dt", {}, name), make("dd", {}, [value])]));
    return make("dl", { class: "facts" }, pairs);
  }

  function results(law, subject) {
    const all = [...law.cells.values()].flatMap((cell) => cell.rows);
    all.sort((a, b) => worseFirst(a, b) || (a.subject < b.subject ? -1 : 1));
    const own = all.filter((row) => row.subject === subject);
    const others = all.filter((row) => row.subject !== subject);
    const part = (title, members, opened) => members.length > 0 && make("section", {}, [
      make("h3", {}, title),
      ...members.map((row, index) => result(row, opened(row, index))),
    ]);
    return [
      part(`On ${short(subject)}`, own, () => true),
      part(own.length ? "On the others" : "By subject", others, (row, index) =>
        !own.length && (row.fails || law.cells.size === 1) && index < 3),
    ];
  }

  function mark(law, subject) {
    for (const element of current) element.classList.remove("current");
    const cell = law?.cells.get(subject);
    const found = cell?.element ?? law?.heading;
    current = found ? [found, found.closest("tbody tr, th")] : [];
    for (const element of current) element.classList.add("current");
  }

  function open(law, subject) {
    state.law = law.id;
    state.subject = law.cells.has(subject) ? subject : "";
    const title = make("h2", { id: "panel-title", tabindex: -1 }, breakable(law.id));
    panel.replaceChildren(
      make("div", { class: "panel-head" }, [
        button("‹", () => step(-1), { "aria-label": "Previous law", title: "Previous law" }),
        button("›", () => step(1), { "aria-label": "Next law", title: "Next law" }),
        button("Close", close, { class: "close", title: "Close (Escape)" }),
      ]),
      title,
      ...[
        make("p", { class: "sentence" }, law.statement),
        facts(law),
        ...results(law, state.subject),
      ].filter(Boolean),
    );
    panel.hidden = false;
    panel.scrollTop = 0;
    document.body.classList.add("split");
    cover();
    mark(law, state.subject);
    if (!narrow.matches) current[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    title.focus({ preventScroll: true });
    remember();
  }

  function close() {
    if (panel.hidden) return;
    const [origin] = current;
    panel.hidden = true;
    panel.replaceChildren();
    document.body.classList.remove("split");
    cover();
    state.law = state.subject = "";
    mark(null);
    // A filter may have hidden where the panel was opened from.
    if (origin && reachable(origin)) focusOn(origin);
    else at("search").focus();
    remember();
  }

  /** Where the panel covers the page, the page below cannot be reached. */
  function cover() {
    const covered = narrow.matches && !panel.hidden;
    for (const part of [document.querySelector(".head"), at("filters"), at("results")]) {
      part.inert = covered;
    }
  }

  /** Go to the next law that is shown, and to the result in it for which it is shown. */
  function step(by) {
    const shown = inOrder.filter((law) => law.shown || law.id === state.law);
    const place = shown.findIndex((law) => law.id === state.law);
    const next = shown[place + by];
    if (!next) {
      at("said").textContent = "No further law";
      return;
    }
    const cells = [...next.cells.values()];
    const found = cells.filter((cell) => cell.matches);
    const alone = cells.length === 1 || found.length < cells.length ? found[0] : null;
    open(next, alone?.subject ?? "");
  }

  // ---- Keys: a table is one stop of Tab, the arrows move in it

  const reachable = (cell) => !cell.closest("[hidden]");

  /** Give what takes the focus in a cell of a table. */
  const stop = (cell) => (cell?.matches(".cell") ? cell : cell?.querySelector(".law"));

  function enter(grid) {
    const now = grid.querySelector('[tabindex="0"]');
    const found = now && reachable(now.closest("td, th")) ? now : firstStop(grid);
    if (now && now !== found) now.tabIndex = -1;
    if (found) found.tabIndex = 0;
  }

  function firstStop(grid) {
    for (const row of grid.tBodies) {
      if (row.hidden) continue;
      for (const each of row.rows) {
        const found = !each.hidden && [...each.cells].filter((cell) => !cell.hidden).find(stop);
        if (found) return stop(found);
      }
    }
    return null;
  }

  function focusOn(element) {
    const grid = element.closest("table");
    const before = grid.querySelector('[tabindex="0"]');
    if (before) before.tabIndex = -1;
    element.tabIndex = 0;
    element.focus();
  }

  function along(cell, by) {
    const cells = [...cell.parentElement.cells].filter((one) => !one.hidden && stop(one));
    return cells[cells.indexOf(cell) + by];
  }

  function down(cell, by) {
    const lines = [...cell.closest("table").rows].filter(
      (row) => !row.hidden && !row.parentElement.hidden && stop(row.cells[cell.cellIndex]));
    const place = lines.indexOf(cell.parentElement) + by;
    return lines[Math.min(Math.max(place, 0), lines.length - 1)]?.cells[cell.cellIndex];
  }

  const MOVES = {
    ArrowLeft: (cell) => along(cell, -1),
    ArrowRight: (cell) => along(cell, 1),
    ArrowUp: (cell) => down(cell, -1),
    ArrowDown: (cell) => down(cell, 1),
    PageUp: (cell) => down(cell, -10),
    PageDown: (cell) => down(cell, 10),
    Home: (cell) => along(cell, -[...cell.parentElement.cells].indexOf(cell)) ?? first(cell),
    End: (cell) => [...cell.parentElement.cells].filter((one) => !one.hidden && stop(one)).at(-1),
  };

  const first = (cell) => [...cell.parentElement.cells].find((one) => !one.hidden && stop(one));

  function key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = event.target.closest("td.cell, th");
    if (!cell) return;
    const found = MOVES[event.key] ? stop(MOVES[event.key](cell)) : null;
    if (found) {
      focusOn(found);
      event.preventDefault();
    } else if ((event.key === "Enter" || event.key === " ") && cellOf.has(event.target)) {
      const { law, subject } = cellOf.get(event.target);
      open(law, subject);
      event.preventDefault();
    }
  }

  // ---- The theme

  function theme(chosen) {
    const { dataset } = document.documentElement;
    if (chosen) dataset.theme = chosen;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = dataset.theme ?? (dark ? "dark" : "light");
    const other = now === "dark" ? "Light" : "Dark";
    at("theme").textContent = other;
    at("theme").setAttribute("aria-label", `${other} theme`);
    return now;
  }

  /** Read or write what a browser keeps; one that keeps nothing for files is as good. */
  function kept(value) {
    try {
      if (value) localStorage.setItem("treelaws-theme", value);
      return localStorage.getItem("treelaws-theme");
    } catch {
      return null;
    }
  }

  // ---- Events

  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("search").addEventListener("input", () => {
    state.q = at("search").value;
    changed();
  });
  at("fails").addEventListener("change", () => {
    state.fails = at("fails").checked;
    changed();
  });
  at("clear").addEventListener("click", () => {
    state.q = at("search").value = "";
    state.fails = at("fails").checked = false;
    for (const group of GROUPS) state[group].clear();
    changed();
    at("search").focus();
  });
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      const { group, value } = chip.dataset;
      if (!state[group].delete(value)) state[group].add(value);
      changed();
    });
  }
  at("results").addEventListener("click", (event) => {
    const cell = cellOf.get(event.target.closest("td.cell"));
    if (cell) open(cell.law, cell.subject);
  });
  at("results").addEventListener("keydown", key);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.preventDefault();
    close();
  });
  at("theme").addEventListener("click", () => {
    const next = theme() === "dark" ? "light" : "dark";
    kept(next);
    theme(next);
  });
  narrow.addEventListener("change", cover);
  addEventListener("hashchange", () => {
    if (address() !== location.hash.slice(1)) recall();
  });

  // ---- The views: findings first, unless something fails or the address names a law

  const tabs = [...document.querySelectorAll("[role=tab]")];

  function showView(tab, focused = false) {
    for (const each of tabs) {
      const chosen = each === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
      at(each.getAttribute("aria-controls")).hidden = !chosen;
    }
    if (focused) tab.focus();
  }

  const showLaws = () => {
    if (tabs.length) showView(at("tab-laws"));
  };

  function views() {
    if (!tabs.length) return;
    tabs[0].parentElement.hidden = false;
    for (const [index, tab] of tabs.entries()) {
      tab.addEventListener("click", () => {
        showView(tab);
        if (tab.id === "tab-findings") close();
      });
      tab.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by) showView(tabs.at((index + by) % tabs.length), true);
      });
    }
    for (const block of document.querySelectorAll("#findings .script pre")) {
      const pressed = button("Copy", () => copy(block.textContent, pressed, block));
      block.before(pressed);
    }
    showView(rows.some((row) => row.fails) || location.hash.length > 1 ? tabs[1] : tabs[0]);
  }

  addEventListener("hashchange", () => {
    if (location.hash.length > 1) showLaws();
  });

  views();
  const stored = kept();
  theme(["dark", "light"].includes(stored) ? stored : "");
  at("theme").hidden = false;
  at("filters").hidden = !laws.length;
  recall();
})();
