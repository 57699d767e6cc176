"""`python -m treelaws pages`: write the pages of the documentation that are made from the code."""

from __future__ import annotations

import argparse
from pathlib import Path

from treelaws.core.files import replace_text
from treelaws.pages import coverage, faults, findings, idioms, laws, questions
from treelaws.releases.carried import page as carried
from treelaws.releases.matrix import page as releases
from treelaws.releases.timeline import page as timeline


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument("folder", type=Path, help="folder of the pages, such as docs")


def run(options: argparse.Namespace) -> int:
    """Write the pages and print their paths."""
    for name, text in every_page().items():
        replace_text(options.folder / name, text)
        print(options.folder / name)
    return 0


def every_page() -> dict[str, str]:
    """Return the text of each generated page by its path below the folder of the documentation."""
    made = (laws, findings, questions, idioms, faults, coverage, releases, carried, timeline)
    return {path: text for one in made for path, text in one.pages().items()}
