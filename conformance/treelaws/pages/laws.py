"""The catalogue of laws as a page of Markdown, by topic."""

from __future__ import annotations

import inspect
import itertools
import re
import textwrap
from collections import Counter
from collections.abc import Iterable

from treelaws.core.law import Law, Topic
from treelaws.core.settings import LEVELS
from treelaws.laws import all_laws

_HEAD = """\
# Laws

What this suite holds JAX, Equinox, Flax, Optax and types of nodes to: {count} laws. A law that
*must* hold is documented; one that *should* hold is strongly implied; what is *observed* never
fails a run. Each names the text that promises it. This page is generated: `python -m treelaws
pages docs`.

| level | laws |
|---|---|
{levels}

"""


def page() -> str:
    """Give the whole page."""
    laws = list(all_laws().values())
    counts = Counter(law.level for law in laws)
    levels = "\n".join(f"| {level} | {counts[level]} |" for level in LEVELS)
    topics = [(topic, list(found)) for topic, found in itertools.groupby(laws, _topic)]
    contents = "".join(f"- [{topic.title}](#{_anchor(topic)})\n" for topic, _ in topics)
    sections = "".join(_section(topic, found) for topic, found in topics)
    return _HEAD.format(count=len(laws), levels=levels) + contents + sections


def _topic(law: Law) -> Topic:
    return law.topic


def _anchor(topic: Topic) -> str:
    """Give the anchor that GitHub makes of the heading."""
    kept = (letter for letter in topic.title.lower() if letter.isalnum() or letter in " -_")
    return "".join(kept).replace(" ", "-")


def _section(topic: Topic, laws: Iterable[Law]) -> str:
    return f"\n## {topic.title}\n\n`{topic.id}`\n\n" + "".join(map(_entry, laws))


def _escaped(text: str) -> str:
    """Keep what Markdown would take for markup, outside of code, as it is written."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*_<\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _entry(law: Law) -> str:
    domain = " ".join((inspect.getdoc(law.check) or "").partition("\n\n")[0].split())
    needs = f"Needs {', '.join(f'`{name}`' for name in sorted(law.needs))}." if law.needs else ""
    text = (
        f"- **{law.name}** ({law.level}): {law.statement}. {domain} {needs} [Source]({law.source})"
    )
    return (
        textwrap.fill(
            " ".join(text.split()),
            100,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
    )
