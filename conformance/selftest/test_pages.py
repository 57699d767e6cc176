"""The generated pages of the documentation are up to date, and each law has an anchor."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hypothesis_pytrees import Recipe
from treelaws.__main__ import main
from treelaws.core import settings
from treelaws.core.addresses import address, family
from treelaws.core.failure import Breach
from treelaws.core.law import Topic
from treelaws.laws import all_laws, law_named
from treelaws.reporting.report import described
from treelaws.subjects.registry import subject

from .markdown_blocks import GENERATED

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LAWS = {path: text for path, text in GENERATED.items() if path.startswith("laws/")}
_LAW = "equinox.filter.combine_undoes_partition"


@pytest.mark.parametrize("path", GENERATED)
def test_page_is_up_to_date(path: str) -> None:
    page = DOCS / path
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    assert text == GENERATED[path], f"docs/{path} is out of date: python -m treelaws pages docs"


@pytest.mark.parametrize("folder", ["laws", "releases"])
def test_no_page_is_left_over(folder: str) -> None:
    found = {path.relative_to(DOCS).as_posix() for path in (DOCS / folder).iterdir()}
    assert found == {path for path in GENERATED if path.startswith(f"{folder}/")}


def test_command_writes_the_pages(tmp_path: Path) -> None:
    assert main(["pages", str(tmp_path)]) == 0
    assert {path: (tmp_path / path).read_text(encoding="utf-8") for path in GENERATED} == GENERATED


def test_every_law_has_one_anchor_on_the_page_of_its_family() -> None:
    found = [
        (path, anchor)
        for path, text in LAWS.items()
        for anchor in re.findall(r'^- <a id="([\w.]+)"></a>$', text, flags=re.MULTILINE)
    ]
    wanted = [(f"laws/{family(law)}.md", law.id) for law in all_laws().values()]
    assert sorted(found) == sorted(pair for pair in wanted if pair[0] != "laws/.md")


@pytest.mark.parametrize("path", [path for path in LAWS if path != "laws/index.md"])
def test_contents_lead_to_sections(path: str) -> None:
    listed = re.findall(r"^- \[.*\]\(#(.*)\)$", LAWS[path], flags=re.MULTILINE)
    assert listed == re.findall(r'^<a id="(.*)"></a>$', LAWS[path], flags=re.MULTILINE)
    titles = re.findall(r"^## (.*)$", LAWS[path], flags=re.MULTILINE)
    assert len(titles) == len(set(titles)) == len(listed)


def test_a_law_has_a_link_once_the_site_has_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    law = law_named(_LAW)
    monkeypatch.setattr(settings, "SITE", "")
    assert address(law) == ""
    monkeypatch.setattr(settings, "SITE", "https://example.org/treelaws/")
    assert address(law) == f"https://example.org/treelaws/laws/equinox/#{_LAW}"


def test_failures_and_reports_show_the_address_of_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    law = law_named(_LAW)
    failure = Breach(law, subject("equinox"), Recipe(), ValueError())
    assert f"law at {law.location}\n" in str(failure)
    assert "page" not in described(law)
    monkeypatch.setattr(settings, "SITE", "https://example.org/treelaws/")
    assert f"law at {law.location} or {address(law)}\n" in str(failure)
    assert described(law)["page"] == address(law)


def test_a_law_from_elsewhere_has_no_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "SITE", "https://example.org/treelaws")
    known = law_named(_LAW)
    monkeypatch.setattr("treelaws.core.law._BY_ID", {})
    topic = Topic("theirs", "a user's laws", family="jax")
    law = topic("a statement", source=known.source, case=known.case)(_a_users_law)
    assert address(law) == ""


def _a_users_law(lib, case) -> None:
    pass


@pytest.mark.sweep
def test_a_closed_pipe_is_not_an_error() -> None:
    path = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance")])
    listing = subprocess.Popen(
        [sys.executable, "-m", "treelaws", "laws"],
        env={**os.environ, "PYTHONPATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert listing.stdout is not None
    assert listing.stderr is not None
    assert "  [" in listing.stdout.readline()
    listing.stdout.close()
    assert listing.stderr.read() == ""
    assert listing.wait() == 0
