"""Flax NNX: `EMA` of models that hold more than parameters of one type."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal, same

from ._steps import same_types, types_of
from .ema import each_update_blends_the_values, law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/ema.html#flax.nnx.EMA"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html#graph-updates-propagation"
# What a model holds beside a Param, by feature.
_PARTS = {
    "layer": "nnx.Linear(1, 2, rngs=nnx.Rngs(0))",
    "statistics": "nnx.BatchNorm(2, rngs=nnx.Rngs(0))",
    "dropout": "nnx.Dropout(0.5, rngs=nnx.Rngs(dropout=0))",
    "rngs": "nnx.Rngs(0)",
    "key": "nnx.Variable(jax.random.key(0))",
    "old-key": "nnx.Variable(jax.random.PRNGKey(0))",
    "int": "nnx.Variable(jax.device_put(np.int32([3, 8])))",
    "uint": "nnx.Cache(jax.device_put(np.uint8(8)))",
    "bool": "nnx.Variable(jax.device_put(np.bool_([True, False])))",
    "bfloat16": "nnx.Param(jax.device_put(np.asarray([1.0, -2.0], jnp.bfloat16)))",
    "float16": "nnx.Param(jax.device_put(np.float16(0.5)))",
    "complex": "nnx.Param(jax.device_put(np.complex64(1 + 2j)))",
    "numpy": "nnx.Param(np.float32([[1.0], [2.0]]))",
    "number": "nnx.Variable(2.0)",
    "metadata": "nnx.Param(jax.device_put(np.float32(3.0)), sharding=(), label='c')",
}
_DECAYS = ("0.5", "0.25", "np.float32(0.5)", "jax.device_put(np.float32(0.75))")


@st.composite
def _mixed(draw: st.DrawFn, *, left_out: frozenset[str] = frozenset()) -> Recipe:
    """Draw `model`, which has a Param `weight` and other parts, and a `decay`."""
    scope = Scope()
    names = st.sampled_from([name for name in _PARTS if name not in left_out])
    parts = draw(st.lists(names, max_size=3, unique=True))
    scope.note(*(f"part:{name}" for name in parts))
    held = "".join(f", part_{place}={_PARTS[name]}" for place, name in enumerate(parts))
    weight = "nnx.Param(jax.device_put(np.float32([1.0, -4.0])))"
    scope.bind("model", f"nnx.Dict(weight={weight}{held})")
    scope.bind("decay", draw(st.sampled_from(_DECAYS)))
    return scope.recipe()


@law(
    "an EMA with its default filter, which matches everything, takes a model with Variables of "
    "any dtype, and blends its parameters",
    source=_API,
    level="should",
    needs={"EMA"},
    case=_mixed(),
    parents=[each_update_blends_the_values],
)
def every_model_of_variables_is_tracked(lib, case):
    ema, before = lib.EMA(case.model, case.decay), case.model.weight[...]
    case.model.weight[...] = before * 4
    ema.update(case.model)
    blended = (case.decay * before + (1 - case.decay) * 4 * before).astype(before.dtype)
    same(ema.apply_to(case.model).weight[...], blended)


@law(
    "the averages of an EMA keep the dtypes of what they are averages of",
    source=f"{_API}.apply_to",
    level="should",
    needs={"EMA"},
    case=_mixed(),
    parents=[every_model_of_variables_is_tracked],
)
def averages_keep_their_dtypes(lib, case):
    ema = lib.EMA(case.model, case.decay)
    wanted = [one[:2] for one in types_of(jtu.tree_map(jnp.asarray, lib.state(case.model)))]
    for _ in range(2):
        ema.update(case.model)
        equal([one[:2] for one in types_of(ema.params)], wanted)


@law(
    "a compiled update keeps dtypes and weak types of model and EMA, so it is compiled once",
    source=_GUIDE,
    level="observed",
    needs={"EMA", "jit"},
    case=_mixed(left_out=frozenset({"number"})),
    parents=[every_model_of_variables_is_tracked],
)
def compiled_updates_keep_the_types(lib, case):
    ema = lib.EMA(case.model, case.decay)
    same_types(lib, lambda ema, model: ema.update(model), ema, case.model, changes=False)
