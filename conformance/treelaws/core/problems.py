"""Problems of a run that change no verdict, such as an example database that does not answer."""

from __future__ import annotations

import warnings

# Set by the pytest plugin, which takes the problems; elsewhere a problem is a warning.
collected = False
# A place that is used often has one line.
_places: set[str] = set()
_new: dict[str, str] = {}


def note(place: str, problem: str) -> None:
    """Note the first problem of a place.

    Args:
        place: the folder or server.
        problem: one line: the place, the problem and the fix.
    """
    if place in _places:
        return
    _places.add(place)
    if collected:
        _new[place] = problem
        return
    # Loaded in every pytest run, which need not import Hypothesis.
    from hypothesis.errors import HypothesisWarning

    warnings.warn(problem, HypothesisWarning, stacklevel=2)


def take() -> dict[str, str]:
    """Return the problems by place that were not returned before."""
    found = dict(_new)
    _new.clear()
    return found
