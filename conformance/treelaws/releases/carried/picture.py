"""The picture of a package: a grid of laws and pairs of releases, as SVG."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_COLOURS = {
    "loads": "#4c9a6a",
    "loads wrong": "#b3261e",
    "ends the process": "#000000",
    "unclear error": "#c2701c",
    "fails": "#d9b44a",
    "": "#e4e4e4",
}
_CELL, _NAMES, _HEAD, _GAP = 14, 410, 96, 18
_STYLE = "font: 11px sans-serif; fill: #333"


def picture(found: Mapping[str, Any]) -> str:
    """Draw the worst outcome of each law and pair of releases.

    Args:
        found: the results of a package, as `status.read` returns them.
    """
    pairs = found["pair"]
    names = sorted({law for pair in pairs for law in pair["laws"]})
    halves = (("upgrades", pairs[::2]), ("rollbacks", pairs[1::2]))
    width = _NAMES + len(pairs) * _CELL + _GAP + 10
    height = _HEAD + len(names) * _CELL + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for row, name in enumerate(names):
        parts.append(_text(_NAMES - 6, _HEAD + row * _CELL + 11, name, ' text-anchor="end"'))
    left = _NAMES
    for title, half in halves:
        parts.append(_text(left, 14, title))
        parts += _half(left, names, half)
        left += len(half) * _CELL + _GAP
    parts += _legend(height - 12)
    return "\n".join([*parts, "</svg>", ""])


def _half(left: int, names: Sequence[str], pairs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for column, pair in enumerate(pairs):
        x = left + column * _CELL
        arrow = f"{pair['writer']} → {pair['reader']}"
        turned = f' transform="rotate(-90 {x + 11} {_HEAD - 6})"'
        yield _text(x + 11, _HEAD - 6, pair["reader"], turned)
        for row, name in enumerate(names):
            outcome = pair["laws"].get(name, "")
            told = html.escape(f"{name}, {arrow}: {outcome or 'no case'}")
            yield (
                f'<rect x="{x}" y="{_HEAD + row * _CELL}" width="{_CELL - 1}" '
                f'height="{_CELL - 1}" fill="{_COLOURS[outcome]}"><title>{told}</title></rect>'
            )


def _legend(y: int) -> Iterator[str]:
    x = _NAMES
    for outcome, colour in _COLOURS.items():
        yield f'<rect x="{x}" y="{y - 10}" width="13" height="13" fill="{colour}"/>'
        label = outcome or "no case"
        yield _text(x + _CELL + 3, y, label)
        x += _CELL + 14 + 7 * len(label)


def _text(x: int, y: int, text: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" style="{_STYLE}"{more}>{html.escape(text)}</text>'
