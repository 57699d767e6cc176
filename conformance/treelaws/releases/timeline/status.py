"""What was timed as a small file, from which the page and the picture are made."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from treelaws.compat import toml

# Of what a clock of nanoseconds says, the rest is noise.
_DIGITS = 4


def text(package: str, found: Any, *, beside: Sequence[str], rounds: int, python: str) -> str:
    """Write a timeline as TOML.

    Args:
        package: the library.
        found: what is known of its releases, a `pytree_timing.timeline.Timeline`.
        beside: pins of the other packages.
        rounds: number of processes of each release.
        python: version of the Python that ran them.
    """
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by `python -m treelaws timeline --status`."))
    document.update(
        {
            "package": package,
            "measured": datetime.date.today(),
            "python": python,
            "beside": list(beside),
            "rounds": rounds,
            "releases": found.releases,
        }
    )
    document.add("problems", _table(found.problems))
    document.add("microseconds", _tables(found.seconds, lambda own: [_us(one) for one in own]))
    document.add("calls", _tables(found.calls, lambda own: own))
    steps = tomlkit.aot()
    for one in found.steps:
        ratio = one.comparison.ratio
        bounds = {name: round(getattr(ratio, name), 4) for name in ("value", "low", "high")}
        told = {"case": one.case, "before": one.before, "after": one.after, **bounds}
        steps.append(_table(told | {"pairs": one.comparison.pairs}))
    if steps:
        document.add("step", steps)
    return document.as_string()


def _us(seconds: float) -> float:
    return float(f"{seconds * 1e6:.{_DIGITS}g}")


def _tables(by_case: Mapping[str, Mapping[str, Any]], of: Any) -> Any:
    return _table(
        {
            case: _table({release: of(own) for release, own in by_release.items()})
            for case, by_release in by_case.items()
        }
    )


def _table(content: Mapping[str, Any]) -> Any:
    table = tomlkit.table()
    table.update(content)
    return table


def parsed(text: str) -> dict[str, Any]:
    """Return the content of such a file.

    Args:
        text: of the file.

    Raises:
        ValueError: it is not TOML.
    """
    return toml.loads(text)


def read(path: Path) -> dict[str, Any]:
    """Read such a file.

    Raises:
        ValueError: it is not TOML.
    """
    return parsed(path.read_text(encoding="utf-8"))
