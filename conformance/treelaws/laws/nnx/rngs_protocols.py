"""Flax NNX: what Rngs answer to Python, and the keys that they take."""

from __future__ import annotations

import jax
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.rngs import random_streams
from treelaws.equality import equal, same

from .rngs import a_missing_stream_is_an_attribute_error, equal_seeds_give_equal_keys, law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html#flax.nnx.Rngs"
_LOOKUPS = "https://github.com/google/flax/issues/5375"


@st.composite
def _looked_up(draw: st.DrawFn) -> Recipe:
    """Draw Rngs, and a `name` of a protocol that they do not have."""
    scope = Scope()
    scope.include(draw(random_streams()))
    word = draw(st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8)).strip("_")
    known = ("json", "html", "array", "cuda_array_interface", "dlpack", "torch_function", "fspath")
    name = draw(st.sampled_from(known)) if draw(st.booleans()) else f"x{word}"
    scope.bind("name", repr(f"__{name}__"))
    return scope.recipe()


@law(
    "Rngs have no attribute of a special name that they do not define, with a default stream or "
    "without one",
    source=_LOOKUPS,
    level="should",
    needs={"Rngs"},
    case=_looked_up(),
    parents=[a_missing_stream_is_an_attribute_error],
)
def rngs_answer_no_other_protocol(lib, case):
    equal([hasattr(case.rngs, case.name), hasattr(type(case.rngs), case.name)], [False, False])


@st.composite
def _keys(draw: st.DrawFn) -> Recipe:
    """Draw `rngs` with a stream `noise` that starts from `key`, a key of any implementation."""
    scope = Scope()
    kind = draw(st.sampled_from(("threefry2x32", "rbg", "unsafe_rbg")))
    scope.note("key:default" if kind == "threefry2x32" else "key:other")
    scope.bind("key", f"jax.random.key({draw(st.integers(0, 9))}, impl={kind!r})")
    ways = ("nnx.Rngs(noise=key)", "nnx.Rngs(1, noise=key)", "nnx.Rngs({'noise': key})")
    scope.bind("rngs", draw(st.sampled_from(ways)))
    return scope.recipe()


@law(
    "a stream of Rngs starts from a key of any implementation and gives keys of that one",
    source=_API,
    level="should",
    needs={"Rngs"},
    case=_keys(),
    parents=[equal_seeds_give_equal_keys],
)
def streams_start_from_any_key(lib, case):
    wanted = [jax.random.fold_in(case.key, count) for count in range(2)]
    same([case.rngs.noise(), case.rngs.noise()], wanted)
