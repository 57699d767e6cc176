"""Pairs of features that never meet in one input although each of them is frequent."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

# A pair that never meets is told if so many inputs would have both, were they drawn independently:
# by chance, one of 20,000 such pairs would not meet.
EXPECTED = 10.0


class Pair(NamedTuple):
    """Two features of the inputs of a family that never meet.

    Args:
        family: the id of the first law with these inputs.
        one: a feature, such as `"way:jit"`.
        other: another, of which the text is later in the order of the alphabet.
        expected: the number of inputs that would have both, were they drawn independently.
    """

    family: str
    one: str
    other: str
    expected: float


class Met(NamedTuple):
    """The pairs of one family.

    Args:
        inputs: number of inputs.
        met: number of pairs of features that met in one input.
        apart: the pairs that should have met.
    """

    inputs: int
    met: int
    apart: list[Pair]


def dimension(feature: str) -> str:
    """Return what a feature is one value of: `"way"` for `"way:jit"`, `"kind"` for `"module"`."""
    return feature.partition(":")[0] if ":" in feature else "kind"


def met(family: str, inputs: Mapping[tuple[str, ...], int]) -> Met:
    """Return the pairs of a family; a feature that holds another one in its text is left out.

    Two features of one dimension count only if some input has two of that dimension: a function is
    called in one way at a time.

    Args:
        family: the id of its first law.
        inputs: how often inputs had exactly these features.
    """
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for features, count in inputs.items():
        held = [one for one in features if ">" not in one]
        for one in held:
            single[one] += count
        for pair in itertools.combinations(sorted(held), 2):
            pairs[pair] += count
    whole = sum(inputs.values())
    several = {dimension(one) for one, other in pairs if dimension(one) == dimension(other)}
    apart = list(_apart(family, whole, single, pairs, several))
    return Met(whole, len(pairs), sorted(apart, key=lambda pair: -pair.expected))


def _apart(
    family: str,
    whole: int,
    single: Mapping[str, int],
    pairs: Mapping[tuple[str, str], int],
    several: set[str],
) -> Iterator[Pair]:
    for one, other in itertools.combinations(sorted(single), 2):
        same = dimension(one) == dimension(other)
        expected = single[one] * single[other] / whole
        if expected < EXPECTED or (one, other) in pairs or (same and dimension(one) not in several):
            continue
        yield Pair(family, one, other, expected)
