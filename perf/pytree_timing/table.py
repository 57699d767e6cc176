"""What a run has timed, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .figures import Figures
from .scaling import LARGE, SMALL, exponent
from .timing import Timed
from .trees import SIZES


def lines(results: Sequence[Timed], counted: dict[str, Figures]) -> Iterator[str]:
    """Return the lines.

    Args:
        results: what was timed.
        counted: exact figures, by case.
    """
    rows: dict[tuple[str, str, str], dict[int, Timed]] = {}
    for one in results:
        case = one.case
        rows.setdefault((case.operation.id, case.kind, case.platform), {})[case.size] = one
    if not rows:
        return
    backends = {backend for _, _, backend in rows}
    sizes = [size for size in SIZES if any(size in row for row in rows.values())]
    yield "microseconds of one call in the shortest round; at 100 leaves beside a flat tuple"
    yield "(floor) and nodes written by hand; exponent from 100 to 1000 leaves (95 % interval)"
    heads = ["operation", "nodes", *(f"{size:,}" for size in sizes)]
    yield _line([*heads, "us/leaf", "x floor", "x hand", "calls/leaf", "exponent"])
    for (name, kind, backend), row in sorted(rows.items()):
        shown = name if len(backends) == 1 else f"{name} ({backend})"
        figures = [_us(row[size].seconds) if size in row else "" for size in sizes]
        yield _line([shown, kind, *figures, *_portable(row, counted)])


def lines_of_a_model(results: Sequence[Timed]) -> Iterator[str]:
    """Return the lines about a user's model, what loses most first.

    Args:
        results: what was timed.
    """
    if not results:
        return
    arrays = results[0].case.size
    yield f"microseconds of one call in the shortest round, for a model of {arrays:,} arrays: by"
    yield "itself, with its arrays in a flat tuple, the difference, and what may be done instead"
    yield _line(["operation", "on", "model", "flat", "lost", "instead"])
    for one in sorted(results, key=lost, reverse=True):
        flat = _us(one.floor) if one.floor is not None else ""
        gone = _us(lost(one)) if one.floor is not None else ""
        instead = _us(one.reference) if one.reference is not None else ""
        cells = [one.case.operation.id, one.case.platform, _us(one.seconds), flat, gone, instead]
        yield _line(cells)


def lost(one: Timed) -> float:
    """Return the seconds by which a call is longer than on a flat tuple, at least 0."""
    return max(0.0, one.seconds - one.floor) if one.floor is not None else 0.0


def _portable(row: dict[int, Timed], counted: dict[str, Figures]) -> list[str]:
    small, large = row.get(SMALL), row.get(LARGE)
    most = large or small
    per_leaf = f"{most.seconds / most.case.size * 1e6:.2f}" if most else ""
    floor = f"{small.seconds / small.floor:.1f}" if small and small.floor else ""
    hand = f"{small.seconds / small.reference:.2f}" if small and small.reference else ""
    found = counted.get(str(small.case)) if small else None
    calls = f"{found.events / SMALL:.1f}" if found else ""
    grown = str(exponent(small.minima, large.minima)) if small and large else ""
    return [per_leaf, floor, hand, calls, grown]


def _us(seconds: float) -> str:
    us = seconds * 1e6
    return f"{us:,.0f}" if us >= 100 else f"{us:.3g}"


def _line(cells: Sequence[str]) -> str:
    name, kind, *rest = cells
    return f"{name:38} {kind:7} {' '.join(f'{cell:>9}' for cell in rest)}".rstrip()
