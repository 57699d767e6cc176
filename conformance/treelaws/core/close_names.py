"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> str:
    """Return `"did you mean X or Y?"`, or `""` if no name is close.

    Args:
        name: the name that does not exist.
        names: the names that exist.
        most: maximum number of suggestions, at least 1.
        cutoff: required similarity, from 0 (anything) to 1 (equal).
    """
    close = difflib.get_close_matches(name, list(names), n=most, cutoff=cutoff)
    return f"did you mean {' or '.join(close)}?" if close else ""
