"""The page of timelines: for each library a picture, the steps, and what is slow today."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from treelaws.core.files import status_folder

from .picture import percent, picture, relative, steps_of
from .status import read

FOLDER = status_folder().parent / "timeline"

_HEAD = """\
# Speed of releases

`python -m treelaws timeline --package equinox` times a fixed set of operations on the last releases
of a library, with the same other packages beside each. All releases run in turn, in one process
each, and each round starts new processes; a load on the machine therefore meets all of them.

The pictures show the time of a call as a share of that of the first release: the median of the
rounds, and their range. A **step** is a change between two neighbours that showed in all rounds and
again in six to eighteen pairs of fresh processes, each time by more than 1 % with 95 % confidence.
Steps that are smaller than that, or than the noise of the machine, are not listed.

Every tree has 100 leaves, scalars on the CPU. [Timing](timing.md) explains the operations and the
nodes.

| option | effect |
|---|---|
| `--package NAME` | `jax`, `equinox`, `flax` or `optax` |
| `--versions SPEC` | releases such as `">=0.12"`, or `0.11.8,0.12.0`; default: the last ten |
| `--with PIN` | a package beside every release; default: JAX as it is installed |
| `--cases NAME` | only these cases of the set, with `*` for any text |
| `--rounds N` | processes of each release, at least 6 |
| `--status DIR`, `--picture FILE` | write the figures as TOML, and the picture as SVG |

Packages that are not named are as of the upload date of each release. The command exits with 1 if a
release is slower than the one before it, or could not be timed.
"""


def pages(folder: Path = FOLDER) -> dict[str, str]:
    """Return the text of the page and of its pictures by path below the folder of documentation.

    Args:
        folder: where the figures are; default that of the clone.
    """
    found = [read(path) for path in sorted(folder.glob("*.toml"))]
    pictures = {f"timeline/{one['package']}.svg": picture(one) for one in found}
    sections = ("\n".join(_package(one)) for one in found)
    return {"timeline.md": "\n".join([_HEAD, *sections]), **pictures}


def _package(found: Mapping[str, Any]) -> Iterator[str]:
    name = found["package"]
    beside = ", ".join(pin.replace("==", " ") for pin in found["beside"])
    yield f"## {name}"
    yield ""
    yield (
        f"Measured {found['measured']} with {found['rounds']} rounds, Python {found['python']}, "
        f"beside {beside}."
    )
    yield ""
    yield f"![Time of each operation by release](timeline/{name}.svg)"
    yield ""
    yield "| operation | first release | µs | last release | µs | change | calls | steps |"
    yield "|---|---|--:|---|--:|--:|--:|---|"
    for case, microseconds in found["microseconds"].items():
        yield _row(case, microseconds, found)
    yield ""
    if found["problems"]:
        yield "Not timed:"
        yield ""
        yield from (f"- {release}: {problem}" for release, problem in found["problems"].items())
        yield ""


def _row(case: str, microseconds: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    first, last = (list(microseconds)[place] for place in (0, -1))
    change = statistics.median(relative(microseconds)[last])
    calls = found["calls"].get(case, {})
    steps = (f"{step['after']}: {percent(step['value'])}" for step in steps_of(case, found))
    cells = [
        f"`{case.removesuffix('-cpu')}`",
        *(first, _plain(statistics.median(microseconds[first]))),
        *(last, _plain(statistics.median(microseconds[last]))),
        percent(change),
        f"{calls[first]:,} -> {calls[last]:,}" if {first, last} <= set(calls) else "",
        ", ".join(steps),
    ]
    return f"| {' | '.join(cells)} |"


def _plain(microseconds: float) -> str:
    return f"{microseconds:.3g}" if microseconds < 100 else f"{microseconds:,.0f}"
