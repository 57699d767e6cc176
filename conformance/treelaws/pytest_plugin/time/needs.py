"""Which law needs more time: the one that shows most that is new in a second."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

# Law and subject.
Pair = tuple[str, str]

_seen: dict[Pair, Counter[str]] = defaultdict(Counter)
_rare: Counter[Pair] = Counter()
_seconds: Counter[Pair] = Counter()


def note(pair: Pair, features: Iterable[str]) -> None:
    """Take the features of a case on which a law held."""
    seen = _seen[pair]
    for feature in features:
        seen[feature] += 1
        _rare[pair] += {1: 1, 2: -1}.get(seen[feature], 0)


def spend(pair: Pair, seconds: float) -> None:
    """Take that time was spent on a law."""
    _seconds[pair] += seconds  # pyright: ignore[reportArgumentType]


def neediest(pairs: Iterable[Pair]) -> Pair:
    """Give the law and subject that the next round goes to.

    Features that were met in one case alone tell how many were not met yet: by Good and Turing
    the next case shows as many new ones as the share of cases with such a feature. In a second
    that is their number by the seconds spent. One is added, so that no law is left out for ever.

    Args:
        pairs: which there are, at least one; of equals the first.
    """
    return max(pairs, key=lambda pair: (_rare[pair] + 1) / max(_seconds[pair], 1e-3))
