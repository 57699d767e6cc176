"""The pages of the laws: an index, and one page for each family."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from treelaws.core.addresses import family
from treelaws.core.law import Law
from treelaws.core.settings import LEVELS
from treelaws.laws import all_laws

_TITLES: Mapping[str, str] = {
    "jax": "JAX",
    "equinox": "Equinox",
    "nnx": "Flax NNX",
    "flax": "Flax",
    "optax": "Optax",
    "nodes": "Node types",
    "idioms": "Idioms",
}
_INDEX = """\
# Laws

`python -m treelaws laws 'equinox.filter.*'` lists laws with their level, statement and source.
This suite has {count} laws about JAX, Equinox, Flax, Optax and node types:

| page | {levels} | laws |
|---|{ruler}---:|
{families}

- A law that *must* hold is documented.
- A law that *should* hold is strongly implied: a maintainer ruled so, or every built-in node does
  it.
- A law that is *observed* never fails a run.

Each law has an anchor: its full id. `jax.map.some_law` is at `laws/jax.md#jax.map.some_law`.

`python -m treelaws pages docs` generates these pages.
"""
_HEAD = """\
# Laws: {title}

`pytest --pyargs treelaws --laws '{pattern}'` runs these {count} laws. The
[index](index.md) explains the levels.

"""


def pages() -> dict[str, str]:
    """Return the text of each page by its path below the folder of the documentation."""
    found: dict[str, list[Law]] = {name: [] for name in _TITLES}
    for law in all_laws().values():
        # A user's test file may define laws, too; they are not on these pages.
        if name := family(law):
            found[name].append(law)
    texts = {f"laws/{name}.md": _page(name, laws) for name, laws in found.items()}
    return {"laws/index.md": _index(found), **texts}


def _index(found: Mapping[str, Sequence[Law]]) -> str:
    rows = [_row(f"[{_TITLES[name]}]({name}.md)", laws) for name, laws in found.items()]
    whole = [law for laws in found.values() for law in laws]
    return _INDEX.format(
        count=len(whole),
        levels=" | ".join(LEVELS),
        ruler="---:|" * len(LEVELS),
        families="\n".join([*rows, _row("all", whole)]),
    )


def _row(name: str, laws: Sequence[Law]) -> str:
    counts = Counter(law.level for law in laws)
    cells = [name, *(str(counts[level]) for level in LEVELS), str(len(laws))]
    return f"| {' | '.join(cells)} |"


def _page(name: str, laws: Sequence[Law]) -> str:
    topics: dict[str, list[Law]] = {}
    for law in laws:
        topics.setdefault(law.topic.id, []).append(law)
    title, pattern = _TITLES[name], f"{laws[0].id.partition('.')[0]}.*"
    head = _HEAD.format(title=title, pattern=pattern, count=len(laws))
    contents = "".join(f"- [{_title(group[0])}](#{topic})\n" for topic, group in topics.items())
    return head + contents + "".join(_section(topic, group) for topic, group in topics.items())


def _title(law: Law) -> str:
    """Return the title of a topic without the name of its library, which heads the page."""
    title = law.topic.title.partition(": ")[2] or law.topic.title
    # A name of code stays as it is.
    name = not title.split()[0].rstrip(",:").isalpha()
    return _escaped(title if name else title[0].upper() + title[1:])


def _section(topic: str, laws: Sequence[Law]) -> str:
    heading = f'\n<a id="{topic}"></a>\n\n## {_title(laws[0])}\n\n`{topic}`\n\n'
    return heading + "".join(map(_entry, laws))


def _escaped(text: str) -> str:
    """Keep what Markdown would take for markup, outside of code, as it is written."""
    parts = re.split(r"(``.*?``|`[^`]*`)", text)
    parts[::2] = [re.sub(r"([*_<\[\]])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _entry(law: Law) -> str:
    summary = " ".join((inspect.getdoc(law.check) or "").partition("\n\n")[0].split())
    needs = _needs(law.needs)
    text = (
        f"**{law.name}** ({law.level}): {_escaped(law.statement)}. {_escaped(summary)} {needs} "
        f"[Source]({law.source})"
    )
    filled = textwrap.fill(
        " ".join(text.split()),
        100,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    # Raw HTML: an anchor with dots, on the site and on GitHub alike.
    return f'- <a id="{law.id}"></a>\n{filled}\n'


def _needs(needs: Iterable[str]) -> str:
    return f"Needs {', '.join(f'`{name}`' for name in sorted(needs))}." if needs else ""
