"""The catalogue of laws is up to date, and its contents lead to its sections."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from treelaws.laws import all_laws
from treelaws.pages import laws

PAGE = Path(__file__).resolve().parents[2] / "docs" / "laws.md"


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == laws.page(), (
        "write it anew: python -m treelaws pages docs"
    )


def test_every_law_stands_in_it_once() -> None:
    names = re.findall(r"^- \*\*(\w+)\*\* ", laws.page(), flags=re.MULTILINE)
    assert sorted(names) == sorted(law.name for law in all_laws().values())


def test_topics_have_titles_of_their_own() -> None:
    titles = re.findall(r"^## (.*)$", laws.page(), flags=re.MULTILINE)
    assert len(titles) == len(set(titles)) == len({law.topic.id for law in all_laws().values()})


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    root = PAGE.parents[1]
    path = os.pathsep.join([str(root / "strategies"), str(root / "conformance")])
    listing = subprocess.Popen(
        [sys.executable, "-m", "treelaws", "laws"],
        env={**os.environ, "PYTHONPATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert listing.stdout is not None
    assert listing.stderr is not None
    assert "[must]" in listing.stdout.readline()
    listing.stdout.close()
    assert listing.stderr.read() == ""
    assert listing.wait() == 0
