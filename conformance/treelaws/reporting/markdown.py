"""A report as Markdown, for the summary of a CI job."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator

from .defects import by_cause, counted
from .findings import summary
from .report import Report
from .rows import VERDICTS
from .terminal import family_of

# GitHub limits a summary to 1 MiB.
_MOST = 50


def markdown(report: Report) -> str:
    """Return a report as Markdown: versions, verdicts by family, failures with scripts.

    Args:
        report: the report.
    """
    return "\n".join([*_head(report), *_table(report), *_failures(report)]) + "\n"


def _head(report: Report) -> Iterator[str]:
    environment, suite = report.environment, report.suite
    yield "# treelaws"
    yield ""
    if not report.complete:
        yield "> **Incomplete**: the run stopped before all tests finished."
        yield ""
    packages = [f"{name} {version}" for name, version in environment["libraries"].items()]
    x64 = "on" if environment["x64"] else "off"
    backend = f"Python {environment['python']}, {environment['backend']}, x64 {x64}"
    yield f"{', '.join(packages)}, {backend}"
    yield ""
    seed = "chance" if suite["seed"] is None else suite["seed"]
    shard = f", shard {suite['shard']}" if "shard" in suite else ""
    yield f"Profile {suite['profile']}, edition {suite['edition']}, seed {seed}{shard}."
    yield ""
    if told := summary(report):
        yield f"{told}: `python -m treelaws findings` lists them."
        yield ""


def _table(report: Report) -> Iterator[str]:
    shown = [verdict for verdict in reversed(VERDICTS) if report.counts.get(verdict)]
    counts: dict[str, Counter[str]] = {}
    for row in report.rows:
        counts.setdefault(family_of(report, row), Counter())[row.verdict] += 1
    yield f"| family | {' | '.join(shown)} |"
    yield f"|---|{'---:|' * len(shown)}"
    for family, found in counts.items():
        yield f"| {family} | {' | '.join(str(found[one] or '') for one in shown)} |"
    yield ""


def _failures(report: Report) -> Iterator[str]:
    groups = by_cause(report)
    if told := counted(report):
        yield f"{told}."
        yield ""
    for row, *others in groups[:_MOST]:
        law = report.laws.get(row.law, {})
        yield f"## {row.verdict}: `{row.law}` [{_plain(row.subject)}]"
        yield ""
        if law:
            links = f"[source]({law['source']})"
            if page := law.get("page"):
                links += f", [law]({page})"
            yield f"{_plain(law['statement'])} ({law['level']}, {links})"
            yield ""
        yield from _fenced(row.difference or row.reason)
        yield from _script(row.script, row.answer)
        for one in row.behind:
            yield "It also breaks in another way:"
            yield ""
            yield from _fenced(one["difference"])
            yield from _script(one["script"], one["answer"])
        if others:
            laws = ", ".join(f"`{other.law}` [{_plain(other.subject)}]" for other in others)
            yield f"The same cause breaks {len(others)} more: {laws}."
            yield ""
    if len(groups) > _MOST:
        more = sum(map(len, groups[_MOST:]))
        yield f"... and {more} more failures; `report.html` shows all."


def _script(script: str, answer: str) -> Iterator[str]:
    if script:
        yield f"<details><summary>standalone script: {_plain(answer)}</summary>"
        yield ""
        yield from _fenced(script, "python")
        yield "</details>"
        yield ""


def _plain(text: str) -> str:
    # Names of subjects may contain characters that Markdown interprets.
    return html.escape(text).replace("`", "&#96;").replace("|", "&#124;")


def _fenced(text: str, language: str = "") -> Iterator[str]:
    # Longer than any fence in the text itself.
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield text.strip("\n")
    yield fence
    yield ""
