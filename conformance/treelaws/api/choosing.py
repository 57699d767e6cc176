"""Select laws by id or pattern, and by level."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from treelaws.core.close_names import did_you_mean
from treelaws.core.law import Law
from treelaws.core.settings import LEVELS
from treelaws.laws import all_laws


def matching_laws(patterns: Sequence[str], level: str) -> list[Law]:
    """Return the laws that match these ids or patterns, of this level or stricter.

    Raises:
        ValueError: a pattern matches no law.
    """
    laws = all_laws()
    for pattern in patterns:
        if not fnmatch.filter(laws, pattern):
            hint = did_you_mean(pattern, laws, cutoff=0.4)
            raise ValueError(
                f"no law is called {pattern!r}; {hint}{' ' if hint else ''}"
                "`python -m treelaws laws` lists them"
            )
    rank = LEVELS.index
    return [
        law
        for law in laws.values()
        if any(fnmatch.fnmatchcase(law.id, pattern) for pattern in patterns)
        and rank(law.level) <= rank(level)
    ]
