"""Writes a report as one HTML page that works from a file: no server, no network, no fonts."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import category

import jinja2
from markupsafe import Markup, escape

from .charts import charts
from .defects import counted
from .finding_views import by_severity, shown_findings
from .page_data import page_data
from .report import Report
from .rows import Row

_FOLDER = Path(__file__).parent
# Sign and meaning of each verdict, from the worst to the best.
_VERDICTS = {
    "error": ("!", "the test itself errored"),
    "broken": ("✗", "the law does not hold; the panel shows an input"),
    "stale-known": ("≠", "a known departure whose witness no longer fails as recorded"),
    "blocked": ("‖", "the law depends on another law that is broken"),
    "not run": ("?", "planned, but the run stopped before"),
    "known": ("≈", "a known departure: its witness still fails the law"),
    "held": ("✓", "the law held on every example"),
    "skipped": ("·", "the law could not run here"),
}
_LEVELS = {
    "must": "documented",
    "should": "strongly implied: a maintainer said so, or every built-in node does it",
    "observed": "never fails a run",
}
# Invisible characters, or ones that reorder text: control, format, lone surrogates, separators.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Without scripts, a page shows this many failing rows, and so many characters of each.
_MOST_ROWS, _MOST_TEXT = 200, 600


def html(report: Report) -> str:
    """Write a report as a page.

    Args:
        report: the report.

    Returns:
        The page; equal reports give equal pages.
    """
    style, script = _read("report.css"), _read("report.js")
    signs = {verdict: sign for verdict, (sign, _) in _VERDICTS.items()}
    failing = [row for row in report.rows if row.fails]
    return _template().render(
        report=report,
        style=Markup(style),
        style_hash=_hash(style),
        script=Markup(script),
        script_hash=_hash(script),
        data=Markup(page_data(report, signs)),
        facts=dict(_facts(report)),
        laws=len({row.law for row in report.rows}),
        subjects=len({row.subject for row in report.rows}),
        failing=len(failing),
        told=counted(report),
        left=report.counts.get("not run", 0),
        families=dict(sorted(Counter(_told(report, row, "family") for row in report.rows).items())),
        levels=_levels(report),
        verdicts={name: (*_VERDICTS[name], count) for name, count in report.counts.items()},
        shown=[(row, _short(row)) for row in failing[:_MOST_ROWS]],
        findings=shown_findings(report),
        charts=charts(report),
    )


def _template() -> jinja2.Template:
    # Escapes every value in a template, and shows invisible characters.
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else _visible(str(value)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["code"] = _code
    environment.filters["groupby_severity"] = by_severity
    return environment.get_template("report.html.jinja")


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _visible(text: str) -> str:
    return "".join(
        f"\\u{ord(sign):04x}" if category(sign) in _UNSEEN and sign not in "\t\n" else sign
        for sign in text
    )


def _code(text: str) -> Markup:
    """Return text as HTML, with what stands between backticks as code."""
    parts = (escape(_visible(part)) for part in text.split("`"))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part
        for index, part in enumerate(parts)
    )


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    """Yield facts about the run by heading, without those that the report lacks."""
    environment, suite = report.environment, report.suite
    libraries = environment.get("libraries", {})
    if libraries:
        yield "Libraries", ", ".join(f"{name} {version}" for name, version in libraries.items())
    for key in ("python", "backend"):
        if key in environment:
            yield key.capitalize(), str(environment[key])
    if "x64" in environment:
        yield "x64", "on" if environment["x64"] else "off"
    if "platform" in environment:
        yield "Platform", str(environment["platform"])
    for key in ("profile", "edition", "shard"):
        if key in suite:
            yield key.capitalize(), str(suite[key])
    if "seed" in suite:
        yield "Seed", "random" if suite["seed"] is None else str(suite["seed"])
    if "version" in suite:
        yield "Suite", f"{suite['version']} ({suite.get('fingerprint', 'no fingerprint')})"
    if report.started:
        yield "Started", report.started.replace("T", " ").replace("+00:00", " UTC")
    if report.seconds:
        yield "Took", _duration(report.seconds)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _told(report: Report, row: Row, key: str) -> Any:
    return report.laws.get(row.law, {}).get(key, "")


def _levels(report: Report) -> dict[str, tuple[str, int]]:
    """Return each level that occurs, with its meaning and its number of rows."""
    found = Counter(_told(report, row, "level") for row in report.rows)
    return {level: (told, found[level]) for level, told in _LEVELS.items() if found[level]}


def _short(row: Row) -> str:
    text = row.difference or row.reason or row.departure
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} …"
