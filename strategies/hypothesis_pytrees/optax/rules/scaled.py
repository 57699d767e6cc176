"""Trees of arrays of every dtype, and factors for their gradients in every form."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.trees.trees import draw_tree

from ..params import sources

# Ways to give a factor to `run`, by what they are called in features.
_FORMS: Mapping[str, str] = {
    "number": "lambda run, factor: run(factor)",
    "numpy-scalar": "lambda run, factor: run(np.float32(factor))",
    "array": "lambda run, factor: run(jnp.float32(factor))",
    "weak-array": "lambda run, factor: run(jnp.asarray(factor))",
    "traced": "lambda run, factor: jax.jit(run)(jnp.float32(factor))",
}
_FACTORS = ("0.5", "0.0", "1.0", "-2.0", "1", "0", "3")


@st.composite
def _scaled_trees(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    text = draw_tree(
        draw, scope, leaves=pool(tuple(JAX_ARRAYS)), kinds=sources().inner, max_leaves=3
    )
    scope.bind("tree", text)
    factor = draw(st.sampled_from(_FACTORS))
    form = draw(st.sampled_from(tuple(_FORMS)))
    scope.note(f"form:{form}")
    scope.note("factor:0-or-1" if float(factor) in (0.0, 1.0) else "factor:other")
    integers = {"leaf:int32", "leaf:bool", "leaf:uint8"} & scope.features
    scope.note(*["tree:integers"] * bool(integers))
    scope.bind("factor", factor)
    scope.bind("form", _FORMS[form])
    return scope.recipe()


def scaled_trees() -> st.SearchStrategy[Recipe]:
    """Draw `tree`, of arrays, a `factor`, and a `form` that gives it to a function."""
    return probe_first(sources, _scaled_trees())
