"""Equinox: donation of arguments by `filter_jit`."""

from __future__ import annotations

import warnings

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structures
from treelaws.equality import refuses, same, true

from ._functions import counted, doubled, energy
from .jit import law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_jit"


def _one_of(*texts: str) -> st.SearchStrategy[Recipe]:
    return st.sampled_from([Recipe(expression=text) for text in texts])


_DONATING = _one_of("'all'", "'warn'", "'all-except-first'", "'warn-except-first'")
_EXCEPT_FIRST = _one_of("'all-except-first'", "'warn-except-first'", "'none'")


@law(
    "donating arguments does not change the result",
    source=_DOCS,
    level="should",
    needs={"filter_jit"},
    case=cases(first=structures(), second=structures(), donate=_DONATING),
)
def donation_changes_no_result(lib, case):
    fresh = case.rebuild()
    jitted = lib.filter_jit(_both_doubled, donate=case.donate)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = jitted(_with_own_buffers(case.first), _with_own_buffers(case.second))
    same(got, _both_doubled(fresh.first, fresh.second))


@law(
    "donated arrays that the result uses are deleted by the call",
    source=_DOCS,
    needs={"filter_jit"},
    case=cases(first=structures(), second=structures(), donate=_DONATING),
    level="should",
)
def donated_arrays_are_gone(lib, case):
    first, second = map(_with_own_buffers, (case.first, case.second))
    lib.filter_jit(_both_doubled, donate=case.donate)(first, second)
    given = second if case.donate.endswith("except-first") else (first, second)
    true(all(leaf.is_deleted() for leaf in _jax_arrays(given)), given, "deleted arrays")


@law(
    "arrays that are not donated stay usable: those of the first argument under"
    " `'all-except-first'` and `'warn-except-first'`, and all arrays under `'none'`",
    source=_DOCS,
    needs={"filter_jit"},
    case=cases(first=structures(), second=structures(), donate=_EXCEPT_FIRST),
)
def arrays_that_are_not_donated_stay(lib, case):
    first, second = map(_with_own_buffers, (case.first, case.second))
    lib.filter_jit(_both_doubled, donate=case.donate)(first, second)
    kept = (first, second) if case.donate == "none" else first
    true(not any(leaf.is_deleted() for leaf in _jax_arrays(kept)), kept, "usable arrays")


@law(
    "`'all'` and `'all-except-first'` suppress the warnings about donated buffers that are not"
    " used",
    source=_DOCS,
    needs={"filter_jit"},
    case=cases(tree=structures(inexact=True), donate=_one_of("'all'", "'all-except-first'")),
)
def donating_all_is_silent(lib, case):
    # JAX warns when it compiles, and a new function always compiles.
    jitted = lib.filter_jit(counted(_energy_of_both)[0], donate=case.donate)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        jitted(case.tree, case.rebuild().tree)
    messages = [str(one.message) for one in seen if "donated" in str(one.message)]
    true(not messages, messages, "no warning about donated buffers")


@law(
    "`filter_jit` raises ValueError for an unknown value of `donate`",
    source=_DOCS,
    needs={"filter_jit"},
    case=cases(donate=_one_of("'arrays'", "True", "None", "''", "'ALL'", "('all',)")),
    level="should",
)
def unknown_way_to_donate_is_refused(lib, case):
    refuses(ValueError, lambda: lib.filter_jit(doubled, donate=case.donate))


def _both_doubled(first, second):
    return doubled(first), doubled(second)


def _energy_of_both(first, second):
    return energy((first, second))


def _jax_arrays(tree):
    return [leaf for leaf in jtu.tree_leaves(tree) if isinstance(leaf, jax.Array)]


def _with_own_buffers(tree):
    """Copy each array, since a class may hold an array twice, or elsewhere, and keeps it then."""
    return jtu.tree_map(lambda leaf: leaf.copy() if isinstance(leaf, jax.Array) else leaf, tree)
