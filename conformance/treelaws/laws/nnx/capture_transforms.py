"""Flax NNX: `capture` of functions that call a module in a transform."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.nnx.captures import transformed_captures
from treelaws.equality import same

from .capture import captured_values_are_those_sown, law


@law(
    "`capture` of a call in a transform returns the result and the values that it returns for the "
    "call, whatever containers hold the modules that sow them",
    # "Allow nnx.List modules to be used with nnx.capture."
    source="https://github.com/google/flax/pull/5585",
    level="should",
    needs={"capture", "StateAxes", "List", "scan", "vmap"},
    case=transformed_captures(),
    parents=[captured_values_are_those_sown],
)
def transforms_keep_what_is_captured(lib, case):
    wanted, sown = lib.capture(case.module, lib.Intermediate)(case.x)
    result, found = lib.capture(case.run, lib.Intermediate)(case.rebuild().module, case.x)
    same(result, wanted)
    same(jtu.tree_map(case.unstacked, lib.to_pure_dict(found)), lib.to_pure_dict(sown))
