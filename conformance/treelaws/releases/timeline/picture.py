"""The picture of a library: a panel for each operation, with its time by release, as SVG."""

from __future__ import annotations

import html
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_COLUMNS, _WIDTH, _HEIGHT = 2, 470, 190
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 34, 14, 52
_STYLE = "font: 11px sans-serif; fill: #333"
# Of Okabe and Ito: told apart by those who do not see every colour, too.
_LINE, _SLOWER, _FASTER = "#0072B2", "#D55E00", "#009E73"


def picture(found: Mapping[str, Any]) -> str:
    """Draw the time of each case as a share of that of its first release.

    A bar is the range of the rounds, a dot their median. A step has a colour and its change.

    Args:
        found: the content of a file of `status`.
    """
    cases = list(found["microseconds"])
    rows = -(-len(cases) // _COLUMNS)
    width, height = _COLUMNS * _WIDTH, rows * _HEIGHT + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for place, case in enumerate(cases):
        x, y = place % _COLUMNS * _WIDTH, place // _COLUMNS * _HEIGHT
        parts += [f'<g transform="translate({x} {y})">', *_panel(case, found), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _panel(case: str, found: Mapping[str, Any]) -> Iterator[str]:
    shares = relative(found["microseconds"][case])
    highest = max(1.0, *(max(own) for own in shares.values())) * 1.12
    places = {name: _LEFT + 12 + _across(index, found) for index, name in _numbered(found)}

    def down(share: float) -> float:
        return round(_HEIGHT - _BOTTOM - share / highest * (_HEIGHT - _TOP - _BOTTOM), 1)

    yield _text(_LEFT, 18, case.removesuffix("-cpu"), "start", " font-weight='bold'")
    yield from _axes(down, highest)
    points = [(places[name], down(statistics.median(own))) for name, own in shares.items()]
    line = " ".join(f"{x},{y}" for x, y in points)
    yield f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="1.5"/>'
    for (name, own), (x, y) in zip(shares.items(), points, strict=True):
        told = html.escape(f"{name}: {statistics.median(found['microseconds'][case][name]):.4g} µs")
        ends = f'y1="{down(min(own))}" y2="{down(max(own))}"'
        yield f'<line x1="{x}" x2="{x}" {ends} stroke="{_LINE}" stroke-width="1"/>'
        yield f'<circle cx="{x}" cy="{y}" r="3" fill="{_LINE}"><title>{told}</title></circle>'
    for step in steps_of(case, found):
        x, y = places[step["after"]], down(statistics.median(shares[step["after"]]))
        colour = _SLOWER if step["value"] > 1 else _FASTER
        yield f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>'
        yield _text(x, y - 9, percent(step["value"]), "middle")
    for name, x in places.items():
        if name in shares:
            turned = f' transform="rotate(-40 {x} {_HEIGHT - _BOTTOM + 14})"'
            yield _text(x, _HEIGHT - _BOTTOM + 14, name, "end", turned)


def _numbered(found: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    yield from enumerate(found["releases"])


def _across(index: int, found: Mapping[str, Any]) -> float:
    room = _WIDTH - _LEFT - _RIGHT - 24
    return round(index * room / max(1, len(found["releases"]) - 1), 1)


def _axes(down: Any, highest: float) -> Iterator[str]:
    for share in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0):
        if share > highest:
            return
        y = down(share)
        ends = f'x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"'
        yield f'<line {ends} stroke="#ddd" stroke-width="1"/>'
        yield _text(_LEFT - 6, y + 4, f"{100 * share:.0f} %", "end")


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    place = f'x="{x}" y="{y}" text-anchor="{anchor}" style="{_STYLE}"'
    return f"<text {place}{more}>{html.escape(text)}</text>"


def relative(microseconds: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """Return times as shares of those of the first release, by release and round.

    Args:
        microseconds: of one call, by release and round.
    """
    first = next(iter(microseconds.values()))
    return {
        name: [own / base for own, base in zip(found, first, strict=True)]
        for name, found in microseconds.items()
    }


def steps_of(case: str, found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the confirmed changes of a case, oldest first.

    Args:
        case: its name.
        found: the content of a file of `status`.
    """
    own = (step for step in found.get("step", ()) if step["case"] == case)
    return sorted(own, key=lambda step: found["releases"].index(step["after"]))


def percent(ratio: float) -> str:
    """Write a ratio as a change, such as `-21 %`."""
    return f"{100 * (ratio - 1):+.0f} %"
