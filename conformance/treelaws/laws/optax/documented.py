"""Optax: values of options that a docstring lists, and options that it calls ignored."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.rules.documented_values import documented_values, rows_of_coefficients
from treelaws.core.law import Topic
from treelaws.equality import true

from ._inputs import CODE, close

law = Topic("optax.documented", "Optax: documented values of options", family="optax")
_MUON = f"{CODE}contrib/_muon.py"


@law(
    "each value that a docstring lists for an option is taken",
    source=f"{_MUON}#L569-L570",
    level="should",
    needs={"scale_by_zoom_linesearch", "piecewise_interpolate_schedule"},
    case=documented_values(),
)
def documented_values_are_taken(lib, case):
    leaves = jtu.tree_leaves(case.call())
    true(bool(leaves), leaves, "at least one array")


@law(
    "`muon` and `scale_by_muon` ignore `ns_steps` if the coefficients are a tuple of tuples",
    source=f"{_MUON}#L407-L409",
    needs={"contrib.muon", "contrib.scale_by_muon"},
    case=rows_of_coefficients(),
)
def rows_of_coefficients_are_the_steps(lib, case):
    params = {"a": jnp.float32([[1.0, -2.0, 0.5], [0.25, 3.0, 1.0]])}
    makes = (lambda **named: lib.contrib.muon(0.5, **named), _bare(lib))
    for make in makes:
        given, wanted = (
            _updates(make(ns_coeffs=case.rows, ns_steps=steps), params)
            for steps in (case.steps, len(case.rows))
        )
        close(given, wanted)


def _bare(lib):
    """Return `scale_by_muon` for parameters that are matrices, whose axes are written out."""
    numbers = lib.contrib.MuonDimensionNumbers(0, 1)
    axes = lambda tree: jtu.tree_map(lambda _: numbers, tree)
    return lambda **named: lib.contrib.scale_by_muon(weight_dimension_numbers=axes, **named)


def _updates(tx, params):
    return tx.update(params, tx.init(params), params)[0]
