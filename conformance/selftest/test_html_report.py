"""The page of a report: its size, what it is made of, and that hostile texts stay texts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from treelaws.reporting.findings import summary
from treelaws.reporting.html import html
from treelaws.reporting.markdown import markdown
from treelaws.reporting.report import Report, read
from treelaws.reporting.rows import VERDICTS, Row

from .report_examples import (
    HOSTILE,
    RUN,
    SCHEMA,
    hostile,
    large,
    report,
    small,
    told,
    with_findings,
)

_MOST_BYTES = 3_000_000


class _Page(HTMLParser):
    """The elements of a page, their attributes, and the text in each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": [], "title": [], "p": []}
        self.open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += attrs
        self.open = tag
        if tag in self.inside:
            self.inside[tag].append("")

    def handle_data(self, data: str) -> None:
        if self.open in self.inside:
            self.inside[self.open][-1] += data

    def handle_endtag(self, tag: str) -> None:
        if self.open in ("script", "style", "title", tag):
            self.open = ""


def _data(page: str) -> dict[str, Any]:
    return json.loads(_Page(page).inside["script"][0])


def _texts(data: Any) -> Iterator[str]:
    """Yield the texts in JSON values."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, (dict, list)):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _texts(one)


def test_size_of_a_large_report() -> None:
    found = large()
    assert (len(found.laws), len(found.rows), found.counts["broken"]) == (250, 7500, 40)
    assert len(html(found).encode()) < _MOST_BYTES


def test_hostile_texts_stay_texts() -> None:
    found = hostile()
    page = html(found)
    parsed, tame = _Page(page), _Page(html(small()))
    assert parsed.elements["script"] == tame.elements["script"] == 2
    assert set(parsed.elements) == set(tame.elements)
    assert {name for name, _ in parsed.attributes} == {name for name, _ in tame.attributes}
    assert set(HOSTILE) <= set(_texts(_data(page)))


def test_what_does_not_show_is_spelt_out() -> None:
    page = html(hostile())
    page.encode()
    assert not set("\0\a\u2028\u202e\u202c\u200f\ud800") & set(page)
    data = page[page.index("application/json") :].partition(">")[2].partition("</script>")[0]
    assert data.isascii()
    assert not set("<>&") & set(data)


def test_the_same_report_gives_the_same_page(tmp_path: Path) -> None:
    found = small()
    found.write(tmp_path / "report.json")
    assert html(found) == html(small()) == html(read(tmp_path))


def test_the_page_holds_every_row() -> None:
    data = _data(html(small()))
    assert list(data["verdicts"]) == list(VERDICTS)
    rows = {(row["law"], row["subject"], row["verdict"]) for row in data["rows"]}
    assert rows == {(row.law, row.subject, row.verdict) for row in small().rows}
    [box] = [row for row in data["rows"] if row["subject"] == "Box" and "input" in row]
    shown = "import typing\nimport equinox as eqx\n\nclass Box(eqx.Module):\n    x: typing.Any"
    assert box["input"] == f"{shown}\n\nbox = Box(1)\ntree = Box(1)\n"
    assert box["script"].startswith("# node.flatten.first Box\nline_0")


def test_head_says_what_was_run() -> None:
    page = html(small())
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert facts == {
        "Libraries": "jax 0.9.1, equinox 0.13.4",
        "Python": "3.12.4",
        "Backend": "cpu",
        "x64": "off",
        "Platform": "Linux-6.1",
        "Profile": "default",
        "Edition": "2026.1",
        "Seed": "random",
        "Suite": "0.1.0 (0123456789ab)",
        "Started": "2026-02-03 04:05:06 UTC",
        "Took": "1 min 15 s",
    }
    assert _Page(page).inside["title"] == ["treelaws: 4 of 11 fail"]


def test_empty_report() -> None:
    page = html(Report(environment={}, suite={}, laws={}, rows=()))
    assert "Nothing was run" in page
    assert _data(page)["rows"] == []


def test_incomplete_report() -> None:
    page = html(small(complete=False))
    told = "<strong>Incomplete:</strong> the run ended before all tests had run; 1 of 12 not run."
    assert told in page
    assert "<strong>Incomplete:</strong>" not in html(small())


def test_incomplete_report_without_a_failure_promises_nothing() -> None:
    rows = [Row("node.a.b", "list", "held", examples=1), Row("node.a.c", "list", "not run")]
    page = html(report(rows, {"node.a.b": told()}, complete=False))
    assert "Nothing has failed so far" in page


def test_law_that_the_report_does_not_describe() -> None:
    page = html(Report(laws={}, rows=(Row("gone.law", "list", "held"),), **RUN))
    assert [law["id"] for law in _data(page)["laws"]] == ["gone.law"]


def test_nothing_is_loaded() -> None:
    page = html(small())
    style, script = Path(html.__globals__["__file__"]).with_name("report.css"), "report.js"
    assert not re.search(r"url\(|@import", style.read_text(encoding="utf-8"))
    assert "innerHTML" not in style.with_name(script).read_text(encoding="utf-8")
    names = {name for name, _ in _Page(page).attributes}
    assert not names & {"src", "href", "srcset", "style", "action"}


@pytest.mark.parametrize(("tag", "place"), [("script", -1), ("style", 0)])
def test_only_the_page_s_own_scripts_and_styles_are_allowed(tag: str, place: int) -> None:
    page = _Page(html(small()))
    [policy] = [value for name, value in page.attributes if value and "default-src" in value]
    text = page.inside[tag][place]
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_without_scripts_what_fails_is_listed() -> None:
    page = html(small())
    shown = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert shown.count("<tr>") == 1 + 4
    assert "PyTreeDef([*, *])" in shown
    assert "jax.map.fifth" not in shown


def test_findings_are_counted_beside_what_fails() -> None:
    found = with_findings()
    assert "1 law, 3 subjects; 2 known findings</span>" in html(found)
    assert summary(found) == "2 known findings in these releases, 1 wrong result"
    assert f"{summary(found)}: `python -m treelaws findings`" in markdown(found)
    assert summary(small()) == ""
    jsonschema.validate(found.content(), json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_a_page_without_scripts_shows_findings_too() -> None:
    page = html(with_findings())
    first = page.index("loses Box")
    assert first < page.index("A dict is printed")
    # Only addresses of the web become links.
    assert 'href="javascript' not in page
