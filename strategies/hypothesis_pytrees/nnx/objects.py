"""Objects that Flax NNX itself provides: layers, streams of random numbers, metrics, optimizers."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe
from hypothesis_pytrees.leaves.leaves import usable_pool

from .modules import NNX_LAYERS

_ONE = "jax.device_put(np.float32(1.0))"
_LINEAR = "nnx.Linear(2, 2, rngs=nnx.Rngs(0))"
# One for all: each call makes functions anew, which are static and compare by identity.
_DESCENT = "nnx_descent = optax.sgd(0.1, momentum=0.9)\n"


def _object(name: str, template: str, *definitions: str) -> Kind:
    return Kind("nnx-object", template, definitions, tuple(f"nnx:{one}" for one in name.split()))


# `nnx:slow`: over 100 ms for the first one in a process.
NNX_OBJECTS: Sequence[Kind] = (
    _object("rngs", "nnx.Rngs(0)"),
    _object("metric average", "nnx.metrics.Average('loss')"),
    _object("metric welford", "nnx.metrics.Welford()"),
    _object("metric accuracy", "nnx.metrics.Accuracy()"),
    _object("metric multi", "nnx.MultiMetric(loss=nnx.metrics.Average('loss'))"),
    _object(
        "metric multi",
        "nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average('loss'))",
    ),
    *(kind for kind in NNX_LAYERS if "nnx:metric" not in kind.features),
    _object("optimizer", f"nnx.Optimizer({_LINEAR}, nnx_descent, wrt=nnx.Param)", _DESCENT),
    _object(
        "optimizer model",
        f"nnx.ModelAndOptimizer({_LINEAR}, nnx_descent, wrt=nnx.Param)",
        _DESCENT,
    ),
    _object("ema", f"nnx.EMA(nnx.state({_LINEAR}), decay=0.9)"),
    _object("list", f"nnx.List([nnx.Param({_ONE}), nnx.Param({_ONE})])"),
    _object("dict", f"nnx.Dict({{'b': nnx.Param({_ONE}), 'a': nnx.Param({_ONE})}})"),
    _object("group-norm", "nnx.GroupNorm(2, num_groups=1, rngs=nnx.Rngs(0))"),
    _object("rms-norm", "nnx.RMSNorm(2, rngs=nnx.Rngs(0))"),
    _object("instance-norm", "nnx.InstanceNorm(2, rngs=nnx.Rngs(0))"),
    _object("prelu", "nnx.PReLU()"),
    _object("rope", "nnx.RoPE(2)"),
    _object("einsum slow", "nnx.Einsum('ab,bc->ac', (2, 2), (2,), rngs=nnx.Rngs(0))"),
    _object("attention slow", "nnx.MultiHeadAttention(1, 2, rngs=nnx.Rngs(0))"),
    _object("rnn slow", "nnx.RNN(nnx.SimpleCell(2, 2, rngs=nnx.Rngs(0)))"),
    _object("spectral-norm slow", f"nnx.SpectralNorm({_LINEAR}, rngs=nnx.Rngs(0))"),
    _object("weight-norm slow", f"nnx.WeightNorm({_LINEAR}, rngs=nnx.Rngs(0))"),
)
# Layers with arguments whose type is documented as Sequence.
NNX_SEQUENCES: Sequence[Kind] = tuple(
    _object(f"{name}-argument", template.format(*pair))
    for name, *pair in (("tuple", "(", ",)"), ("list", "[", "]"))
    for template in (
        "nnx.LayerNorm(2, reduction_axes={}-1{}, rngs=nnx.Rngs(0))",
        "nnx.Dropout(0.5, broadcast_dims={}0{}, rngs=nnx.Rngs(0))",
        "nnx.Conv(1, 1, (2,), strides={}1{}, rngs=nnx.Rngs(0))",
    )
)


def nnx_objects(kinds: Sequence[Kind] = NNX_OBJECTS) -> st.SearchStrategy[Recipe]:
    """Draw an object that Flax NNX provides; of the kinds that the installed release has.

    Args:
        kinds: what it is drawn from; default every kind.

    Raises:
        ValueError: `kinds` is empty.
    """
    if not kinds:
        raise ValueError("kinds is empty; give at least one of NNX_OBJECTS")
    return usable_pool(tuple(kinds))
