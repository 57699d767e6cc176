"""The baseline of a comparison: other releases, beside those that are installed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from treelaws.releases.environments.environments import Wanted, environment
from treelaws.releases.environments.folders import suite_folder
from treelaws.releases.environments.requirements import BadRequest, exact

from .operation import Case
from .pairs import Version
from .recorded import versions
from .trees import KINDS


def installed() -> Version:
    """Return the releases that run this."""
    return Version("installed", [sys.executable])


def baseline(text: str, cases: Iterable[Case]) -> Version:
    """Install releases, beside which the rest is as it is installed here.

    Args:
        text: pins with commas between them, such as `"equinox==0.13.2"`.
        cases: what is to be timed; libraries that none of them needs are left out.

    Raises:
        BadRequest: a pin is not exact, or the releases cannot be installed.
    """
    pins = [pin.strip() for pin in text.split(",")]
    for pin in pins:
        if exact(pin) is None:
            raise BadRequest(f"--against: {pin!r} names no release; write for example jax==0.8.0")
    there = environment(Wanted(tuple(pins), _beside(pins, cases)))
    if there.problem:
        raise BadRequest(f"--against {text}: {there.problem.splitlines()[0]}")
    # The worker reads its tables by a module of the suite.
    return Version(text, there.command, (suite_folder(),), there.variables)


def _beside(pins: Sequence[str], cases: Iterable[Case]) -> tuple[str, ...]:
    here = versions()
    named = {pin.partition("==")[0] for pin in pins}
    needed = {"jax", "numpy"}
    for case in cases:
        needed |= {KINDS[case.kind].requires, *(one for one in case.operation.needs if one in here)}
    return tuple(f"{name}=={here[name]}" for name in sorted(needed - named) if name in here)
