"""The baseline of a comparison: other releases in an environment of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from treelaws.releases.environments.environments import Wanted, environment
from treelaws.releases.environments.requirements import BadRequest, exact

from .operation import Case
from .pairs import Version
from .recorded import versions
from .trees import KINDS


def installed() -> Version:
    """Return the releases that run this."""
    return Version("installed", Path(sys.executable))


def baseline(text: str, cases: Iterable[Case]) -> Version:
    """Make an environment for releases, beside which the rest is as it is installed here.

    Args:
        text: pins with commas between them, such as `"equinox==0.13.2"`.
        cases: what is to be timed; libraries that none of them needs are left out.

    Raises:
        BadRequest: a pin is not exact, or the environment cannot be made.
    """
    pins = [pin.strip() for pin in text.split(",")]
    for pin in pins:
        if exact(pin) is None:
            raise BadRequest(f"--against: {pin!r} names no release; write for example jax==0.8.0")
    there = environment(Wanted(tuple(pins), _beside(pins, cases)))
    if there.problem:
        raise BadRequest(f"--against {text}: {there.problem.splitlines()[0]}")
    return Version(text, there.python)


def _beside(pins: Sequence[str], cases: Iterable[Case]) -> tuple[str, ...]:
    here = versions()
    named = {pin.partition("==")[0] for pin in pins}
    needed = {"jax", "numpy"}
    for case in cases:
        needed |= {KINDS[case.kind].requires, *(one for one in case.operation.needs if one in here)}
    return tuple(f"{name}=={here[name]}" for name in sorted(needed - named) if name in here)
