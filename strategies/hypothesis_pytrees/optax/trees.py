"""Trees of numbers for arithmetic, and calls that reduce a tree to one number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available, probe_first
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .params import sources
from .roots import draw_numbers

_SQUARES = "(x * x.conj()).real.sum()"
_ROOT = f"np.sqrt({_SQUARES})"
# A reduction, what it is over no numbers at all, and what it is over a vector `x` in NumPy.
_ALL: Sequence[tuple[str, str, str, str]] = (
    ("tree_sum", "optax.tree_utils.tree_sum($0)", "0.0", "x.sum()"),
    ("tree_vdot", "optax.tree_utils.tree_vdot($0, $0)", "0.0", _SQUARES),
    ("global_norm", "optax.global_norm($0)", "0.0", _ROOT),
    ("tree_norm", "optax.tree_utils.tree_norm($0)", "0.0", _ROOT),
    (
        "tree_norm-squared",
        "optax.tree_utils.tree_norm($0, squared=True)",
        "0.0",
        _SQUARES,
    ),
    ("tree_norm-1", "optax.tree_utils.tree_norm($0, ord=1)", "0.0", "abs(x).sum()"),
    ("tree_norm-inf", "optax.tree_utils.tree_norm($0, ord=np.inf)", "0.0", "abs(x).max(initial=0)"),
    (
        "tree_l2_norm",
        "optax.tree_utils.tree_l2_norm($0)",
        "0.0",
        _ROOT,
    ),
    ("tree_l1_norm", "optax.tree_utils.tree_l1_norm($0)", "0.0", "abs(x).sum()"),
    ("tree_linf_norm", "optax.tree_utils.tree_linf_norm($0)", "0.0", "abs(x).max(initial=0)"),
    ("tree_max", "optax.tree_utils.tree_max($0)", "-np.inf", "x.max(initial=-np.inf)"),
    ("tree_min", "optax.tree_utils.tree_min($0)", "np.inf", "x.min(initial=np.inf)"),
    ("tree_size", "optax.tree_utils.tree_size($0)", "0.0", "x.size"),
    ("tree_allclose", "optax.tree_utils.tree_allclose($0, $0)", "1.0", "True"),
)


# By kind: its identity, and the reduction of a vector.
_VALUES = {
    Kind(name, text, takes="array"): (identity, of_vector)
    for name, text, identity, of_vector in _ALL
}
REDUCTIONS: Sequence[Kind] = tuple(_VALUES)
_EMPTY = (
    "{}",
    "()",
    "[]",
    "None",
    "[None]",
    "{'a': [], 'b': {}}",
    "[jax.device_put(np.zeros((0, 3), np.float32))]",
)


def empty_reductions() -> st.SearchStrategy[Recipe]:
    """Draw `reduced`, which reduces a tree without numbers, and the `identity` it should give."""
    return _empty_reductions(available(REDUCTIONS))


@st.composite
def _empty_reductions(draw: st.DrawFn, kinds: tuple[Kind, ...]) -> Recipe:
    scope = Scope()
    tree = _EMPTY[draw(st.integers(0, len(_EMPTY) - 1))]
    kind = kinds[draw(st.integers(0, len(kinds) - 1))]
    scope.note(f"reduction:{kind.name}", "tree:zero-size" if "zeros" in tree else "tree:empty")
    scope.bind("tree", tree)
    scope.bind("reduced", f"lambda: {kind.text(['tree'])}")
    scope.bind("identity", _VALUES[kind][0])
    return scope.recipe()


def reductions() -> st.SearchStrategy[Recipe]:
    """Draw a `tree` and a reduction as the function `reduce`, which takes a tree."""
    return st.deferred(lambda: (sources(), _reductions(available(REDUCTIONS)))[1])


@st.composite
def _reductions(draw: st.DrawFn, kinds: tuple[Kind, ...]) -> Recipe:
    scope = Scope()
    kind = kinds[draw(st.integers(0, len(kinds) - 1))]
    scope.note(f"reduction:{kind.name}")
    draw_numbers(draw, scope)
    scope.bind("tree", "params")
    scope.bind("reduce", f"lambda tree: {kind.text(['tree'])}")
    return scope.recipe()


def reductions_of_vectors() -> st.SearchStrategy[Recipe]:
    """Draw a `tree` of arrays, `reduce`, and `of_vector`, the same reduction of a NumPy vector."""
    return st.deferred(lambda: (sources(), _of_vectors(available(REDUCTIONS)))[1])


@st.composite
def _of_vectors(draw: st.DrawFn, kinds: tuple[Kind, ...]) -> Recipe:
    scope = Scope()
    kind = kinds[draw(st.integers(0, len(kinds) - 1))]
    scope.note(f"reduction:{kind.name}")
    draw_numbers(draw, scope)
    scope.bind("tree", "params")
    scope.bind("reduce", f"lambda tree: {kind.text(['tree'])}")
    scope.bind("of_vector", f"lambda x: {_VALUES[kind][1]}")
    return scope.recipe()


# By dtype: numbers of which some cannot be squared, or negated, without leaving the dtype.
_BY_DTYPE: Mapping[str, Sequence[str]] = {
    "int8": ("-128", "100", "3", "-5"),
    "uint8": ("200", "255", "7"),
    "int16": ("30000", "-32768", "-5"),
    "int32": ("70000", "2**24 + 1", "-3"),
    "uint32": ("70000", "2**24 + 1", "3"),
    "float16": ("100.0", "-0.5", "3.0"),
    "bfloat16": ("100.0", "-0.5", "3.0"),
    "float32": ("1000.0", "-0.5", "3.0"),
    "complex64": ("3.0 - 4j", "2j", "-1.5"),
}
# A sum or an inner product of 32-bit integers is such an integer, as an example of Optax shows.
_SUMMED = {name: ("10000", "-3" if name == "int32" else "3") for name in ("int32", "uint32")}
# Results that have a square root, or may be of a narrow floating dtype.
_ROUNDED = ("global_norm", "tree_norm", "tree_l2_norm")
# What a reduction does to each number first, or with it.
_DOES: Mapping[str, Sequence[str]] = {
    "squares": ("global_norm", "tree_norm", "tree_norm-squared", "tree_l2_norm"),
    "products": ("tree_vdot",),
    "absolutes": ("tree_norm-1", "tree_l1_norm", "tree_norm-inf", "tree_linf_norm"),
    "extremes": ("tree_max", "tree_min", "tree_norm-inf", "tree_linf_norm"),
}
_ORDERED = ("tree_max", "tree_min", "tree_allclose")


def reductions_of_dtypes() -> st.SearchStrategy[Recipe]:
    """Draw `tree`, whose leaves may be integers or complex, `reduce`, and `of_vector` as above.

    `exact` says whether the result is an integer that all 32-bit types can hold.
    """
    return st.deferred(lambda: _of_dtypes(available(REDUCTIONS)))


@st.composite
def _of_dtypes(draw: st.DrawFn, kinds: tuple[Kind, ...]) -> Recipe:
    scope = Scope()
    kind = kinds[draw(st.integers(0, len(kinds) - 1))]
    scope.note(f"reduction:{kind.name}")
    scope.note(*(f"reduces:{name}" for name, kinds in _DOES.items() if kind.name in kinds))
    # Integers beside narrow floats are converted to them, as JAX does.
    integers = draw(st.booleans())
    possible = [one for one in _BY_DTYPE if ("int" in one) is integers]
    if kind.name in _ORDERED and not integers:
        possible.remove("complex64")
    names = draw(st.lists(st.sampled_from(possible), min_size=1, max_size=3))
    if draw(st.booleans()):
        names = names[:1] * len(names)
    summed = {} if "norm" in kind.name or kind.name in _ORDERED else _SUMMED
    leaves = []
    for name in names:
        numbers = summed.get(name, _BY_DTYPE[name])
        row = draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=2))
        leaves.append(f"jnp.asarray([{', '.join(row)}], jnp.{name})")
    others = "".join(f"{one}, " for one in leaves[1:])
    scope.bind("tree", f"{{'a': {leaves[0]}, 'b': [None, ({others})]}}")
    scope.note(*_overflows(jtu.tree_leaves(scope.value("tree"))))
    scope.bind("reduce", f"lambda tree: {kind.text(['tree'])}")
    scope.bind("of_vector", f"lambda x: {_VALUES[kind][1]}")
    scope.bind("exact", repr(integers and kind.name not in _ROUNDED))
    return scope.recipe()


def _overflows(leaves: Sequence[Any]) -> Iterator[str]:
    for leaf in leaves:
        yield f"dtype:{leaf.dtype}"
        if np.issubdtype(leaf.dtype, np.integer):
            wide, most = np.int64(leaf), np.iinfo(leaf.dtype).max
            yield from ["integers:squares-overflow"] * bool((wide**2).sum() > most)
            yield from ["integers:absolute-overflow"] * bool((abs(wide) > most).any())
            yield from ["integers:above-float32"] * bool((abs(wide) > 2**24).any())
    yield from ["integers:sum-of-squares-overflows"] * _sum_of_squares_overflows(leaves)


def _sum_of_squares_overflows(leaves: Sequence[Any]) -> bool:
    """Return whether the squares of all leaves, added up leaf by leaf, leave the dtype of a sum."""
    total, dtype = 0, leaves[0].dtype
    if not all(np.issubdtype(leaf.dtype, np.integer) for leaf in leaves):
        return False
    for leaf in leaves:
        total, dtype = total + int((np.int64(leaf) ** 2).sum()), np.promote_types(dtype, leaf.dtype)
        if total > np.iinfo(dtype).max:
            return True
    return False


@st.composite
def _pairs(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    draw_numbers(draw, scope)
    scope.bind("tree", "params")
    scope.bind("other", "jtu.tree_map(lambda leaf: leaf * 0.5 + 1, params)")
    return scope.recipe()


def tree_pairs() -> st.SearchStrategy[Recipe]:
    """Draw a `tree` of arrays and an `other` of its structure, shapes and dtypes."""
    return probe_first(sources, _pairs())


# No difference is near a tolerance, so that no rounding decides.
_NUMBERS = ("0.0", "1.0", "1.25", "-8.0", "np.nan", "np.inf", "-np.inf")
_CHANGES = ("0.0", "0.0", "0.0", "2**-10", "2**-3", "np.nan")


@st.composite
def close_trees(draw: st.DrawFn) -> Recipe:
    """Draw `tree` and `other`, alike but for small changes, and `options` of `allclose`."""
    scope = Scope()
    rows = [draw(st.lists(st.sampled_from(_NUMBERS), max_size=3)) for _ in range(3)]
    for name, changed in (("tree", False), ("other", True)):
        leaves = []
        for row in rows:
            added = [draw(st.sampled_from(_CHANGES)) if changed else "0.0" for _ in row]
            sums = (f"{one} + {more}" for one, more in zip(row, added, strict=True))
            leaves.append(f"jnp.asarray(np.float32([{', '.join(sums)}]))")
        scope.bind(name, f"{{'a': {leaves[0]}, 'b': [None, ({leaves[1]}, {leaves[2]})]}}")
    options = [
        f"{name}={draw(st.sampled_from(values))}"
        for name, values in (
            ("rtol", ("0.0", "0.01", "0.5")),
            ("atol", ("0.0", "0.01", "0.5")),
            ("equal_nan", ("False", "True")),
        )
        if draw(st.booleans())
    ]
    scope.bind("options", f"dict({', '.join(options)})")
    return scope.recipe()
