"""The report of a run: one HTML file with its pictures in it, and the same pictures as PNG."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from matplotlib.figure import Figure

from . import plots
from .pairs import Measured
from .timing import Timed
from .trees import MODEL

_TEMPLATE = Path(__file__).with_name("report.html.jinja")
_DPI = 110


def write(
    folder: Path,
    results: Sequence[Timed],
    compared: Mapping[str, Measured],
    *,
    baseline: str,
    facts: Mapping[str, Any],
    text: Sequence[str],
) -> Path:
    """Write `timing.html`, the pictures as `*.png` and what was timed as `timing.json`.

    Args:
        folder: where they go; it is made.
        results: what was timed by itself.
        compared: what was timed in turn with other releases.
        baseline: those releases.
        facts: versions and devices.
        text: the lines that the terminal shows.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # Drawing takes half a minute; who stops it keeps the figures.
    content = {
        "facts": facts,
        "timed": [one.facts() for one in results],
        "compared": {name: _told(one) for name, one in compared.items()},
        "baseline": baseline,
    }
    (folder / "timing.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    pictures = {}
    for name, figure in _pictures(results, compared, baseline):
        figure.savefig(folder / f"{name}.png", dpi=_DPI)
        svg = io.StringIO()
        figure.savefig(svg, format="svg")
        # What stands before it is for a file of its own.
        pictures[name] = svg.getvalue()[svg.getvalue().index("<svg") :]
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    page = environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        pictures=pictures, facts=facts, text="\n".join(text)
    )
    path = folder / "timing.html"
    path.write_text(page, encoding="utf-8")
    return path


def _pictures(
    results: Sequence[Timed], compared: Mapping[str, Measured], baseline: str
) -> Iterator[tuple[str, Figure]]:
    if compared:
        yield "comparison", plots.forest(compared, baseline)
    for backend in dict.fromkeys(one.case.platform for one in results):
        own = [one for one in results if one.case.platform == backend]
        if own[0].case.kind == MODEL:
            yield f"model-{backend}", plots.losses(own)
            continue
        yield f"overhead-{backend}", plots.bars(own)
        for topic in sorted({one.case.operation.topic for one in own}):
            of_it = [one for one in own if one.case.operation.topic == topic]
            yield f"{topic}-{backend}", plots.curves(of_it)


def _told(one: Measured) -> dict[str, Any]:
    found = one.comparison
    if found is None:
        return {"problem": one.problem}
    return {
        "verdict": found.verdict,
        "ratio": found.ratio.value,
        "low": found.ratio.low,
        "high": found.ratio.high,
        "pairs": found.pairs,
        "baseline_seconds": one.baseline,
        "candidate_seconds": one.candidate,
    }
