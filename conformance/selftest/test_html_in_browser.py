"""The page of a report in headless Chromium, from a file, with hostile texts, keys and clicks."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest

from treelaws.reporting.html import html
from treelaws.reporting.report import Report

from .report_examples import HOSTILE, SCRIPT, hostile, large, report, small, with_findings

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_BROWSER = next(filter(None, map(shutil.which, _BROWSERS)), None)
_DRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(
    not (_BROWSER and _DRIVER), reason="there is no chromium with its chromedriver"
)

# The least contrast of a text to what is behind it.
_CONTRAST = """
const luminance = (color) => {
  const [r, g, b] = color.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const parts = (color) => (color.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const [r, g, b, alpha = 1] = parts(getComputedStyle(each).backgroundColor);
    if (alpha === 1) return [r, g, b];
  }
  return [255, 255, 255];
};
const found = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.offsetParent || element.closest(".off")) continue;
  const front = luminance(parts(getComputedStyle(element).color).slice(0, 3));
  const back = luminance(behind(element));
  const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  if (ratio < 4.5) found.push([element.className, element.textContent.slice(0, 40), ratio]);
}
return found;
"""
# The longest time, in milliseconds, from a change of the search to its result on the screen.
_FILTER_TIME = """
const search = document.getElementById("search");
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
const longest = async (words) => {
  let found = 0;
  for (const word of words) {
    search.value = word;
    await painted();
    const start = performance.now();
    search.dispatchEvent(new Event("input"));
    await painted();
    found = Math.max(found, performance.now() - start);
  }
  return found;
};
return longest(arguments[0]);
"""


class _Browser:
    """A browser, and the reports that it was shown."""

    def __init__(self, folder: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = str(_BROWSER)
        # As root there is no sandbox to be had, and a container has little shared memory.
        for name in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu"):
            options.add_argument(f"--{name}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(str(_DRIVER)))
        self.folder = folder
        self.set()

    def set(self, width: int = 1400, height: int = 900, scheme: str = "light") -> None:
        """Set the size of the window and the colours that its user prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def open(self, found: Report, hash: str = "") -> None:
        """Open the page of a report, from a file."""
        path = self.folder / "report.html"
        path.write_text(html(found), encoding="utf-8")
        # A page that differs by its hash alone would not be loaded anew.
        self.driver.get("about:blank")
        self.driver.get(path.as_uri() + hash)

    def js(self, text: str, *arguments: Any) -> Any:
        """Run JavaScript."""
        return self.driver.execute_script(text, *arguments)

    def one(self, selector: str) -> Any:
        """Return the first element that a selector finds."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        """Return the elements that a selector finds and that show."""
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return [element for element in found if element.is_displayed()]

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    @property
    def count(self) -> str:
        """What the page says to be shown."""
        return self.one("#count").text

    @property
    def focused(self) -> str:
        """The label, or else the text, of what has the focus."""
        found = self.driver.switch_to.active_element
        return found.get_attribute("aria-label") or found.text

    @property
    def hash(self) -> str:
        """What the address says, once it has caught up with the page."""
        self.js("return new Promise((done) => setTimeout(done, 300))")
        return urlparse(self.driver.current_url).fragment

    @property
    def complaints(self) -> list[str]:
        """What the browser's console says."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Browser]:
    found = _Browser(tmp_path_factory.mktemp("pages"))
    yield found
    found.driver.quit()


@pytest.fixture
def browser(started: _Browser) -> Iterator[_Browser]:
    started.set()
    yield started
    assert started.complaints == []
    started.js("try { localStorage.clear(); } catch {}")


def _chip(browser: _Browser, value: str) -> Any:
    return browser.one(f".chip[data-value='{value}']")


def _cell(browser: _Browser, label: str) -> Any:
    return browser.one(f"td[aria-label='{label}']")


def test_every_verdict_has_its_cell(browser: _Browser) -> None:
    browser.open(small(complete=False))
    assert browser.count == "5 laws, 12 results"
    cells = {cell.get_attribute("title"): cell.text for cell in browser.all("td.cell")}
    assert cells == {
        "broken: node.flatten.first on Box": "✗",
        "known (worst of 2 results): node.flatten.first on dict": "≈",
        "held: node.flatten.first on list": "✓",
        "blocked: node.flatten.second on Box": "‖",
        "stale-known: node.flatten.second on dict": "≠",
        "skipped: node.flatten.second on list": "·",
        "not run: node.keys.third on Box": "?",
        "held: node.keys.third on dict": "✓",
        "error: node.keys.third on list": "!",
        "broken: jax.map.fourth on jax": "✗ broken",
        "broken, fails nothing: jax.map.fifth on jax": "✗ broken",
    }


def test_filters_add_up(browser: _Browser) -> None:
    browser.open(small())
    for click, count in (
        (_chip(browser, "broken"), "3 of 5 laws, 3 of 11 results"),
        (_chip(browser, "error"), "4 of 5 laws, 4 of 11 results"),
        (_chip(browser, "node"), "2 of 5 laws, 2 of 11 results"),
        (_chip(browser, "should"), "0 of 5 laws, 0 of 11 results"),
        (browser.one("#clear"), "5 laws, 11 results"),
        (browser.one("#fails"), "4 of 5 laws, 4 of 11 results"),
    ):
        click.click()
        assert browser.count == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("UNFLATTEN", "1 of 5 laws, 4 of 11 results"),
        ("jax.map.fourth", "1 of 5 laws, 1 of 11 results"),
        ("box", "2 of 5 laws, 2 of 11 results"),
        ("flatten pytreedef([*,", "1 of 5 laws, 1 of 11 results"),
        ("dict_mended", "1 of 5 laws, 1 of 11 results"),
    ],
)
def test_search(browser: _Browser, text: str, count: str) -> None:
    browser.open(small())
    browser.one("#search").send_keys(text)
    assert browser.count == count


def test_columns_without_a_match_are_left_out(browser: _Browser) -> None:
    browser.open(small())
    _chip(browser, "blocked").click()
    assert [cell.get_attribute("aria-label") for cell in browser.all("td.cell")] == [
        "blocked: node.flatten.second on Box"
    ]
    assert [heading.text for heading in browser.all(".matrix thead th")] == ["Law", "Box"]


def test_no_match_is_said(browser: _Browser) -> None:
    browser.open(small())
    browser.one("#search").send_keys("nothing has this")
    assert browser.one("#none").text == "No law matches these filters."
    assert not browser.all("main section")


def test_address_keeps_filters_and_law(browser: _Browser) -> None:
    browser.open(small())
    browser.one("#search").send_keys("pytreedef")
    _chip(browser, "node").click()
    _cell(browser, "broken: node.flatten.first on Box").click()
    hash = browser.hash
    assert parse_qs(hash) == {
        "q": ["pytreedef"],
        "family": ["node"],
        "law": ["node.flatten.first"],
        "subject": ["Box"],
    }
    browser.open(small(), f"#{hash}")
    assert browser.count == "1 of 5 laws, 1 of 11 results"
    assert browser.one("#panel h2").text == "node.flatten.first"
    assert _chip(browser, "node").get_attribute("aria-pressed") == "true"
    browser.press(Keys.ESCAPE)
    browser.one("#clear").click()
    assert browser.hash == ""
    browser.js("location.hash = 'verdict=not+there&law=jax.map.fourth'")
    assert browser.one("#panel h2").text == "jax.map.fourth"
    assert browser.count == "0 of 5 laws, 0 of 11 results"


def test_filtering_a_large_report_is_quick(browser: _Browser) -> None:
    browser.open(large())
    assert browser.count == "250 laws, 7500 results"
    words = ["number_1", "", "wanted", "", "subject_07", "", "no such thing", ""]
    # The best of three: other tests may run at the same time.
    assert min(browser.js(_FILTER_TIME, words) for _ in range(3)) < 1000
    browser.one("#fails").click()
    assert browser.count == "40 of 250 laws, 40 of 7500 results"


def test_panel_tells_all(browser: _Browser) -> None:
    browser.open(small())
    _cell(browser, "broken: node.flatten.first on Box").click()
    text = browser.one("#panel").text
    for part in (
        "unflatten undoes flatten",
        "must",
        "Nodes: flattening",
        "2026.1",
        "0.25 s",
        "PyTreeDef([*, *])",
        "class Box(eqx.Module):",
        "tree = Box(1)",
        "Standalone script: shows it",
        "The same cause:\njax.map.fourth [jax]",
        "known departure: dict_departs",
        "100 examples, 0.50 s",
    ):
        assert part in text
    link = browser.one("#panel a")
    assert link.get_attribute("href") == "https://example.org/promise#here"
    assert "noopener" in link.get_attribute("rel")


def test_panel_opens_and_closes_by_keys(browser: _Browser) -> None:
    browser.open(small())
    browser.one("#search").click()
    browser.press(Keys.TAB, Keys.TAB)
    assert browser.focused == "broken, fails nothing: jax.map.fifth on jax"
    browser.press(Keys.TAB)
    assert browser.focused == "first"
    browser.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert browser.focused == "stale-known: node.flatten.second on dict"
    browser.press(Keys.ENTER)
    assert browser.focused == "node.flatten.second"
    assert "known departure: dict_mended" in browser.one("#panel").text
    browser.press(Keys.ESCAPE)
    assert not browser.all("#panel")
    assert browser.focused == "stale-known: node.flatten.second on dict"
    browser.press(Keys.HOME, Keys.ENTER)
    assert browser.one("#panel h2").text == "node.flatten.second"
    browser.press(Keys.ESCAPE)
    assert browser.focused == "second"


def test_focus_goes_elsewhere_where_its_cell_is_filtered_out(browser: _Browser) -> None:
    browser.open(small())
    _cell(browser, "held: node.keys.third on dict").click()
    _chip(browser, "jax").click()
    browser.press(Keys.ESCAPE)
    assert browser.driver.switch_to.active_element.get_attribute("id") == "search"


def test_panel_steps_through_what_is_shown(browser: _Browser) -> None:
    browser.open(small())
    browser.one("#fails").click()
    seen = []
    browser.all(".list .law")[0].click()
    for _ in range(4):
        seen.append(browser.one("#panel h2").text)
        browser.one("[aria-label='Next law']").click()
    assert seen == [
        "jax.map.fourth",
        "node.flatten.first",
        "node.flatten.second",
        "node.keys.third",
    ]
    assert browser.one("#panel h3").text == "On list"


@pytest.mark.parametrize("clipboard", [True, False])
def test_copy_gives_the_script(browser: _Browser, clipboard: bool) -> None:
    browser.open(small())
    _cell(browser, "broken: node.flatten.first on Box").click()
    if not clipboard:
        browser.js("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    pressed = browser.one(".script .copy")
    pressed.click()
    browser.js("return new Promise((done) => setTimeout(done, 200))")
    assert pressed.text == "Copied"
    browser.js("document.body.append(document.createElement('textarea'))")
    browser.one("textarea").send_keys(Keys.CONTROL, "v")
    [row] = [row for row in small().rows if row.law == "node.flatten.first" and row.script]
    assert browser.one("textarea").get_property("value") == row.script


def test_hostile_texts_are_shown_and_do_nothing(browser: _Browser) -> None:
    browser.open(hostile())
    assert browser.count == f"{len(HOSTILE)} laws, {len(HOSTILE) ** 2} results"
    for law in browser.driver.find_elements(By.CSS_SELECTOR, ".matrix .law"):
        browser.js("arguments[0].click()", law)
    browser.js("for (const one of document.querySelectorAll('details')) one.open = true")
    assert (
        browser.js("return document.querySelectorAll('main img, main svg, #panel a').length") == 0
    )
    assert browser.js("return document.scripts.length") == 2
    assert browser.js("return document.documentElement.scrollWidth <= innerWidth")
    text = browser.js("return document.body.textContent")
    assert not set("\0\a\u202e\u202c\u200f") & set(text)
    assert "turned \\u202egnirts\\u202c mark \\u200f" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_themes_can_be_read(browser: _Browser, scheme: str) -> None:
    browser.set(scheme=scheme)
    browser.open(small(complete=False))
    page = browser.js("return getComputedStyle(document.body).backgroundColor")
    assert browser.js(_CONTRAST) == []
    _cell(browser, "broken: node.flatten.first on Box").click()
    _chip(browser, "broken").click()
    assert browser.js(_CONTRAST) == []
    browser.one("#theme").click()
    assert browser.js("return getComputedStyle(document.body).backgroundColor") != page
    assert browser.js(_CONTRAST) == []


def test_theme_is_kept(browser: _Browser) -> None:
    browser.open(small())
    assert browser.one("#theme").text == "Dark"
    browser.one("#theme").click()
    browser.open(small())
    assert browser.one("#theme").text == "Light"


@pytest.mark.parametrize("make", [small, hostile, large])
def test_phone_scrolls_no_page_sideways(browser: _Browser, make: Any) -> None:
    browser.set(width=360, height=740)
    browser.open(make())
    overflow = "return document.documentElement.scrollWidth > 360"
    assert not browser.js(overflow)
    browser.js("document.querySelector('td.v-broken').click()")
    assert not browser.js(overflow)
    assert (
        browser.js("return document.getElementById('panel').getBoundingClientRect().width") == 360
    )
    assert browser.js("return document.getElementById('results').inert")


def test_empty_report_says_so(browser: _Browser) -> None:
    browser.open(report([], {}))
    assert browser.one("#none").text == "This report holds no results."
    assert not browser.all("#filters")


def test_findings_come_first(browser: _Browser) -> None:
    browser.open(with_findings())
    tabs = browser.all("[role=tab]")
    assert [tab.text for tab in tabs] == ["Findings 2", "Laws 1"]
    assert [one.text for one in browser.all(".finding h3")] == [
        "tree_map loses Box",
        "A dict is printed",
    ]
    assert [one.text for one in browser.all(".finding h3 code")] == ["tree_map"]
    assert browser.all("#findings .chart rect.here")
    # Neither the tables nor their filters.
    assert browser.all("td.cell") == browser.all("#search") == []
    links = [one.get_attribute("href") for one in browser.all(".finding dd a")]
    assert links == ["https://example.org/1"]
    tabs[1].click()
    assert browser.all(".finding") == []
    assert browser.count == "1 law, 4 results"
    browser.press(Keys.ARROW_LEFT)
    assert browser.focused == "Findings 2"
    assert len(browser.all(".finding")) == 2


def test_the_script_of_a_finding_is_copied(browser: _Browser) -> None:
    browser.open(with_findings())
    browser.one(".finding .script summary").click()
    (copy,) = browser.all(".finding .script button")
    copy.click()
    browser.js("return new Promise((done) => setTimeout(done, 100))")
    assert copy.text in ("Copied", "Selected: press Ctrl+C")
    assert browser.one(".finding .script pre").text == SCRIPT.strip()


def test_a_result_of_a_finding_opens_its_law(browser: _Browser) -> None:
    browser.open(with_findings())
    browser.one(".finding details:nth-of-type(2) summary").click()
    browser.one(".finding li a").click()
    assert "node.flatten.first" in browser.one("#panel").text
    assert browser.all("td.cell")
    assert browser.all(".finding") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_findings_can_be_read(browser: _Browser, scheme: str) -> None:
    browser.set(scheme=scheme)
    browser.open(with_findings())
    for summary in browser.all(".finding summary"):
        summary.click()
    assert browser.js(_CONTRAST) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_findings_with_hostile_texts_stay_texts(browser: _Browser, text: str) -> None:
    browser.open(with_findings(text))
    assert len(browser.all(".finding")) == 2
    assert browser.all("img") == []


def test_what_fails_comes_before_findings(browser: _Browser) -> None:
    found = with_findings()
    browser.open(dataclasses.replace(found, rows=(*found.rows, *small().rows)))
    assert browser.one("#tab-laws").get_attribute("aria-selected") == "true"
    assert browser.all("td.cell")
