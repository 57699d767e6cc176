"""Bar charts: how many findings affect each release of a library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from treelaws.compat import toml
from treelaws.core.departures import known
from treelaws.core.files import status_folder
from treelaws.findings.listing import affects

from .report import Report

# In user units of the drawing.
_WIDTH, _GAP, _HIGHEST, _TOP, _BOTTOM = 44, 10, 90, 18, 24


class Bar(NamedTuple):
    """A release.

    Args:
        release: its version.
        count: the findings of its library that affect it.
        installed: whether the report is about it.
        x, y, width, height: its rectangle.
    """

    release: str
    count: int
    installed: bool
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Where its labels are centred."""
        return self.x + self.width / 2


class Chart(NamedTuple):
    """A library.

    Args:
        library: its distribution.
        bars: its releases, the oldest first.
    """

    library: str
    bars: list[Bar]

    @property
    def width(self) -> float:
        """Width of the drawing."""
        return len(self.bars) * (_WIDTH + _GAP) + _GAP

    @property
    def height(self) -> float:
        """Height of the drawing."""
        return _TOP + _HIGHEST + _BOTTOM

    @property
    def told(self) -> str:
        """The numbers as a sentence."""
        return ", ".join(f"{bar.release}: {bar.count}" for bar in self.bars)


def charts(report: Report) -> list[Chart]:
    """Return a chart for each library whose releases the matrix has run.

    Args:
        report: the report; its own releases are marked, and libraries without findings left out.
    """
    if not report.findings:
        return []
    versions = report.environment.get("libraries", {})
    return [Chart(name, _bars(counts, versions.get(name, ""))) for name, counts in _counts()]


def _counts() -> Iterator[tuple[str, dict[str, int]]]:
    for path in sorted(status_folder().glob("*.toml")):
        status = toml.loads(path.read_text(encoding="utf-8"))
        library = str(status["package"])
        releases = status["release"]
        yield library, {one["version"]: _affecting(library, one["libraries"]) for one in releases}


def _affecting(library: str, libraries: Mapping[str, Any]) -> int:
    found = (one for one in known.findings() if one.library == library)
    return sum(affects(one, libraries) for one in found)


def _bars(counts: Mapping[str, int], installed: str) -> list[Bar]:
    most = max(counts.values(), default=0) or 1
    return [
        Bar(
            release,
            count,
            release == installed,
            _GAP + index * (_WIDTH + _GAP),
            round(_TOP + _HIGHEST * (1 - count / most), 1),
            _WIDTH,
            round(_HIGHEST * count / most, 1),
        )
        for index, (release, count) in enumerate(counts.items())
    ]
