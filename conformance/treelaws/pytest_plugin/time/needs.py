"""Finds the law that shows the most new features in a second of time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

# Law and subject.
Pair = tuple[str, str]

_seen: dict[Pair, Counter[str]] = defaultdict(Counter)
_rare: Counter[Pair] = Counter()
_seconds: Counter[Pair] = Counter()


def note(pair: Pair, features: Iterable[str]) -> None:
    """Record the features of a case on which a law held."""
    seen = _seen[pair]
    for feature in features:
        seen[feature] += 1
        _rare[pair] += {1: 1, 2: -1}.get(seen[feature], 0)


def spend(pair: Pair, seconds: float) -> None:
    """Record time that was spent on a law."""
    _seconds[pair] += seconds  # pyright: ignore[reportArgumentType]


def neediest(pairs: Iterable[Pair]) -> Pair:
    """Return the law and subject that the next round goes to.

    Features seen in exactly one case estimate the number of unseen ones: by Good and Turing, the
    next case shows a new feature as often as a past case has a feature that no other case has.
    Per second, that is their number divided by the seconds spent. One is added to it, so that
    every law gets time at some point.

    Args:
        pairs: at least one pair; of equal ones, the first is returned.
    """
    return max(pairs, key=lambda pair: (_rare[pair] + 1) / max(_seconds[pair], 1e-3))
