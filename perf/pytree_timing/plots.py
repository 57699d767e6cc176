"""Pictures of what was timed: curves, bars and a forest of intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from .pairs import Measured
from .scaling import SMALL
from .timing import Timed
from .trees import FLOOR, KINDS
from .verdicts import TOLERANCE

# Of Okabe and Ito: told apart by those who do not see every colour, too.
_PALETTE = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#CC79A7")
_COLOURS = dict(zip(KINDS, _PALETTE, strict=False))
_OF_VERDICT = {"slower": "#D55E00", "faster": "#009E73", "same": "#888888"}
_COLUMNS = 3
_MOST_IN_A_FOREST = 60


def curves(results: Sequence[Timed]) -> Figure:
    """Draw the time of one call by the number of leaves, for the operations of a topic.

    Args:
        results: of one topic and backend; each operation has a panel, each kind of node a line,
            and the floor is dashed.
    """
    names = list(dict.fromkeys(one.case.operation.id for one in results))
    rows = math.ceil(len(names) / _COLUMNS)
    figure = Figure(figsize=(4 * _COLUMNS, 3.2 * rows), layout="constrained")
    for number, name in enumerate(names, 1):
        panel = figure.add_subplot(rows, _COLUMNS, number, xscale="log", yscale="log")
        panel.set_title(name, fontsize=9)
        panel.set_xlabel("leaves", fontsize=8)
        panel.set_ylabel("µs", fontsize=8)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.3)
        own = [one for one in results if one.case.operation.id == name]
        floor = {one.case.size: one.floor for one in own if one.floor is not None}
        if floor:
            sizes = sorted(floor)
            panel.plot(sizes, [floor[n] * 1e6 for n in sizes], "k--", lw=1, label="floor")
        for kind in dict.fromkeys(one.case.kind for one in own):
            line = sorted(
                (one.case.size, one.seconds * 1e6) for one in own if one.case.kind == kind
            )
            panel.plot(
                *zip(*line, strict=True), "o-", ms=3, lw=1.3, color=_COLOURS[kind], label=kind
            )
        panel.legend(fontsize=7)
    return figure


def bars(results: Sequence[Timed]) -> Figure:
    """Draw how many times its floor an operation takes with 100 leaves, the most on top.

    Args:
        results: of one backend.
    """
    chosen = [
        one
        for one in results
        if one.case.size == SMALL and one.floor is not None and one.case.kind != FLOOR
    ]
    chosen.sort(key=lambda one: one.seconds / (one.floor or 1))
    figure = Figure(figsize=(9, max(2.0, 0.19 * len(chosen) + 1)), layout="constrained")
    panel = figure.add_subplot(xscale="log")
    names = [f"{one.case.operation.id} {one.case.kind}" for one in chosen]
    ratios = [one.seconds / (one.floor or 1) for one in chosen]
    colours = [_COLOURS[one.case.kind] for one in chosen]
    panel.barh(names, ratios, color=colours)
    panel.axvline(1, color="black", lw=0.8, ls="--")
    panel.set_xlabel(f"times the floor, {SMALL} leaves")
    panel.tick_params(labelsize=7)
    panel.margins(y=0.005)
    return figure


def losses(results: Sequence[Timed]) -> Figure:
    """Draw the time of each operation on a user's model, split at that on its flat arrays.

    Args:
        results: of one backend; a dot marks what may be done instead.
    """
    chosen = [one for one in results if one.floor is not None]
    chosen.sort(key=lambda one: one.seconds)
    figure = Figure(figsize=(9, max(2.0, 0.25 * len(chosen) + 1)), layout="constrained")
    panel = figure.add_subplot(xscale="log")
    names = [one.case.operation.id for one in chosen]
    floors = [min(one.seconds, one.floor or 0) * 1e6 for one in chosen]
    rest = [one.seconds * 1e6 - floor for one, floor in zip(chosen, floors, strict=True)]
    panel.barh(names, floors, color=_PALETTE[2], label="its arrays in a flat tuple")
    panel.barh(names, rest, left=floors, color=_PALETTE[1], label="lost to the model's nodes")
    told = [one for one in chosen if one.reference is not None]
    panel.plot(
        [(one.reference or 0) * 1e6 for one in told],
        [one.case.operation.id for one in told],
        "o", color=_PALETTE[0], ms=4, label="what may be done instead",
    )  # fmt: skip
    panel.set_xlabel("µs of one call")
    panel.tick_params(labelsize=7)
    panel.legend(fontsize=7)
    return figure


def forest(found: Mapping[str, Measured], baseline: str) -> Figure:
    """Draw the ratio of each case with its interval, those that changed most on top.

    Args:
        found: what was compared.
        baseline: name of what it was compared with.
    """
    told = [(name, one.comparison) for name, one in found.items()]
    rows = [(name, comparison) for name, comparison in told if comparison is not None]
    rows.sort(key=lambda row: abs(math.log(row[1].ratio.value)))
    rows = rows[-_MOST_IN_A_FOREST:]
    figure = Figure(figsize=(9, max(2.0, 0.2 * len(rows) + 1)), layout="constrained")
    panel = figure.add_subplot(xscale="log")
    for place, (_, one) in enumerate(rows):
        colour = _OF_VERDICT.get(one.verdict, "#E69F00")
        ends = [100 * one.ratio.low, 100 * one.ratio.high]
        panel.plot(ends, [place, place], color=colour, lw=2)
        panel.plot([100 * one.ratio.value], [place], "o", color=colour, ms=4)
    panel.axvspan(100 * (1 - TOLERANCE), 100 * (1 + TOLERANCE), color="#888888", alpha=0.15)
    panel.axvline(100, color="black", lw=0.8)
    panel.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=7)
    panel.set_ylim(-0.5, len(rows) - 0.5)
    # Plain numbers, no powers of ten.
    panel.xaxis.set_major_formatter(LogFormatter())
    panel.xaxis.set_minor_formatter(LogFormatter())
    panel.set_xlabel(f"time, % of that with {baseline}")
    return figure
