"""Names like one that does not exist, for messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> str:
    """Give `"did you mean X or Y?"`, or `""` where no name is close.

    Args:
        name: the name that does not exist.
        names: those that do.
        most: how many to give, from 1 on.
        cutoff: how close they must be, from 0 (anything) to 1 (equal).
    """
    close = difflib.get_close_matches(name, list(names), n=most, cutoff=cutoff)
    return f"did you mean {' or '.join(close)}?" if close else ""
