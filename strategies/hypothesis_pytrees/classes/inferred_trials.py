"""Builds calls of a user's class with many children, and keeps those that its constructor takes."""

from __future__ import annotations

import dataclasses
import itertools
import random
import warnings
from collections.abc import Iterator, Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.leaves.leaves import EVERY, JAX_ARRAYS

from .inferred_arrays import jax_array

_CONTAINERS = ("None", "()", "[1.0]", "{'a': 1.0}", "(1.0, 'text')")
# Arrays for instances without children: more shapes, so that some fit each other.
_SHAPES = (
    ((2,), "float32"),
    ((2, 3), "float32"),
    ((), "float32"),
    ((3,), "float32"),
    ((2, 2), "float32"),
    ((2, 3, 4), "float32"),
    ((2,), "int32"),
    ((), "int32"),
    ((2,), "bool"),
    ((), "prng_key"),
    ((2,), "uint32"),
    ((2,), "complex64"),
)
_ARRAYS = tuple(jax_array(shape, dtype) for shape, dtype in _SHAPES)
# Instances without children that are tried for one call, and that are taken of one call.
_MOST_TRIED, _MOST_TAKEN = 40, 3
# A constructor that accepts this share of the children is given random ones.
_ENOUGH = 0.5


class Trials:
    """Builds the kinds of one class, and counts the errors of its constructor."""

    def __init__(self) -> None:
        self._errors: dict[str, str] = {}
        self._count = 0

    def accepted(self, kind: Kind) -> list[Kind]:
        """Return the kind if its constructor accepts most children, else accepted instances.

        Args:
            kind: a call of the class; its classes are known to the default namespace.
        """
        definitions = (*kind.definitions, *(text for one in EVERY for text in one.definitions))
        if not kind.arity:
            return [kind] if self._builds(kind.definitions, kind.text()) else []
        panel = list(_panel(kind))
        taken = [row for row in panel if self._builds(definitions, kind.text(row))]
        if len(taken) == len(panel):
            return [kind]
        if len(taken) >= _ENOUGH * len(panel):
            return [dataclasses.replace(kind, picky=True)]
        rows = itertools.chain(taken, _rows_of_arrays(kind))
        fixed = dict.fromkeys(kind.text(row) for row in rows)
        built = (text for text in fixed if self._builds(definitions, text))
        texts = list(itertools.islice(built, _MOST_TAKEN))
        return [Kind(kind.name, text, kind.definitions, kind.features) for text in texts]

    def _builds(self, definitions: Sequence[str], text: str) -> bool:
        self._count += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Recipe(tuple(dict.fromkeys(definitions)), (), text).build()
        except Exception as raised:
            # A constructor may reject its arguments with any error.
            line = (str(raised).splitlines() or [""])[0]
            self._errors.setdefault(f"{type(raised).__name__}: {line}", text)
            return False
        return True

    def reason(self, found: type) -> str:
        """Return one line: how many calls failed, and the first two errors."""
        shown = [f"{text} raises {error}" for error, text in list(self._errors.items())[:2]]
        count = f"{self._count} calls" if self._count > 1 else "the only call"
        return (
            f"{count} of {found.__qualname__} with values of its hints failed: {'; '.join(shown)}"
        )


def _panel(kind: Kind) -> Iterator[list[str]]:
    """Yield children: the same for each place, then different ones."""
    leaves = [one.text() for one in (JAX_ARRAYS if kind.takes == "array" else EVERY)]
    texts = leaves if kind.takes == "array" else [*leaves, *_CONTAINERS]
    for text in texts:
        yield [text] * kind.arity
    if kind.arity > 1:
        for start in range(len(texts)):
            yield [texts[(start + 3 * place) % len(texts)] for place in range(kind.arity)]


def _rows_of_arrays(kind: Kind) -> Iterator[list[str]]:
    """Yield arrays for the places of children, the same for each place first."""
    for text in _ARRAYS:
        yield [text] * kind.arity
    generator = random.Random(0)
    for _ in range(_MOST_TRIED if kind.arity > 1 else 0):
        yield [generator.choice(_ARRAYS) for _ in range(kind.arity)]
