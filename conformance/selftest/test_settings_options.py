"""The law about settings compares results, and not only the errors of calls that always fail."""

from __future__ import annotations

import jax.numpy as jnp
import pytest
from flax import nnx

from hypothesis_pytrees import Recipe
from treelaws.laws.nnx.settings_options import CHANGE, OPERATIONS, TRANSFORMS

if not hasattr(nnx, "jit_partial"):
    pytest.skip("this release of Flax lacks the options", allow_module_level=True)
# Without the option, some of these functions refuse graphs that they would update.
_OPTIONS = ({"graph": True}, {"graph": False}, {"graph": False, "graph_updates": False})


@pytest.mark.parametrize("operation", [*OPERATIONS, *TRANSFORMS])
def test_each_operation_succeeds_with_some_options(operation: str) -> None:
    made = Recipe((CHANGE,), ("change = nnx_change",), f"lambda module, **options: {operation}")
    errors = []
    for options in _OPTIONS:
        module = nnx.Dict(weight=nnx.Param(jnp.ones(2)), rngs=nnx.Rngs(params=0))
        try:
            made.build()(module, **options)
        except Exception as raised:
            errors.append(raised)
    assert len(errors) < len(_OPTIONS), errors
