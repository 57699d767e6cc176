"""Writes a report in every format."""

from __future__ import annotations

from pathlib import Path

from treelaws.core.files import replace_text

from .html import html
from .markdown import markdown
from .report import Report


def write_all(report: Report, folder: Path) -> None:
    """Write a report as JSON, Markdown and HTML into a folder.

    Args:
        report: the report.
        folder: the folder; it is created.

    Raises:
        OSError: a file cannot be written; the files before it are complete.
    """
    report.write(folder / "report.json")
    replace_text(folder / "report.md", markdown(report))
    replace_text(folder / "report.html", html(report))
