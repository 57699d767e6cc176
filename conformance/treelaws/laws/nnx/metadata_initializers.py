"""Flax NNX: initialisers that give a Variable metadata are called as the initialisers are."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.calls.signature_ways import INITIALIZERS
from hypothesis_pytrees.trees.calls.signed_calls import signed_calls
from treelaws.equality import same

from .metadata import law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx"
# "A wrapper over any initializer to add sharding annotation data to a `Variable`."
_WRAPPER = f"{_API}/spmd.html#flax.nnx.with_partitioning"
_MAKERS = (
    *("ones_init()", "zeros_init()", "constant(2.5)", "normal()", "uniform(scale=0.5)"),
    *("lecun_normal()", "glorot_uniform()", "he_normal()", "truncated_normal()"),
)
_CALLS = (
    *("make(key, (2, 3))", "make(key, (2, 3), jnp.bfloat16)", "make(key, shape=(2, 3))"),
    *("make(key, (2, 3), dtype=jnp.float16)", "make(dtype=jnp.float32, shape=(3, 2), key=key)"),
)
_WRAPPED = (
    "nnx.with_partitioning(initializer, ('rows', None))",
    "nnx.with_partitioning(initializer, (None, None), note='made')",
    "nnx.with_metadata(initializer, note='made')",
)


@st.composite
def _initializers(draw: st.DrawFn) -> Recipe:
    """Draw an `initializer` of the library, one that is `wrapped`, and a `call` of one."""
    scope = Scope()
    scope.bind("key", "jax.random.key(0)")
    scope.bind("initializer", f"nnx.initializers.{draw(st.sampled_from(_MAKERS))}")
    scope.bind("wrapped", draw(st.sampled_from(_WRAPPED)))
    call = draw(st.sampled_from(_CALLS))
    scope.note(*(["arguments:by-name"] if "=" in call else []))
    scope.bind("call", f"lambda make: {call}")
    return scope.recipe()


@law(
    "a function of any signature that `with_metadata` or `with_partitioning` wraps takes the "
    "arguments that the function takes",
    source=_WRAPPER,
    level="should",
    needs={"with_metadata", "with_partitioning"},
    case=signed_calls(INITIALIZERS),
)
def wrapped_initializers_take_all_arguments(lib, case):
    same(case.run(), case.wanted())


@law(
    "an initialiser with metadata gives the value of the initialiser, however that is called",
    source=_WRAPPER,
    level="should",
    needs={"with_metadata", "with_partitioning", "initializers"},
    case=_initializers(),
)
def wrapped_initializers_make_the_value(lib, case):
    same(case.call(case.wrapped).raw_value, case.call(case.initializer))
