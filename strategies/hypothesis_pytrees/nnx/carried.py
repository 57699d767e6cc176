"""Modules of Flax NNX that are stored: the layers of Flax, optimisers, and users' modules."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.numbered import NUMBERED

_NUMBERED = """\
def numbered_module(make):
    module = make()
    nnx.update(module, numbered_arrays(nnx.state(module)))
    return module
"""
_BLOCK = """\
class NnxStored(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.last = nnx.Linear(3, 2, use_bias=False, rngs=rngs)
        self.last.kernel = self.first.kernel
        self.steps = nnx.Variable(jnp.int32(0))
"""
_LOOP = """\
class NnxTwice(nnx.Module):
    def __init__(self, rngs):
        self.layer = self.again = nnx.Linear(2, 2, rngs=rngs)
        self.size = 3
"""


def _module(name: str, template: str, *definitions: str) -> Kind:
    return Kind("nnx-stored", template, definitions, (f"stored:{name}",))


_RNGS = "rngs=nnx.Rngs(0)"
_NO_KEYS = "nnx.Not(nnx.RngState)"
_LINEAR = f"nnx.Linear(2, 2, {_RNGS})"
# Orbax refuses a state without arrays, as a Dropout has it.
STORED: Sequence[Kind] = (
    _module("linear", f"nnx.Linear(2, 3, {_RNGS})"),
    _module("linear-half", f"nnx.Linear(2, 3, param_dtype=jnp.bfloat16, {_RNGS})"),
    _module("linear-general", f"nnx.LinearGeneral((2, 3), (4,), axis=(0, 1), {_RNGS})"),
    _module("einsum", f"nnx.Einsum('ab,bc->ac', (2, 3), (3,), {_RNGS})"),
    _module("conv", f"nnx.Conv(2, 3, (2,), {_RNGS})"),
    _module("conv-transpose", f"nnx.ConvTranspose(2, 3, (2,), {_RNGS})"),
    _module("embed", f"nnx.Embed(3, 2, {_RNGS})"),
    _module("batch-norm", f"nnx.BatchNorm(2, {_RNGS})"),
    _module("layer-norm", f"nnx.LayerNorm(2, {_RNGS})"),
    _module("rms-norm", f"nnx.RMSNorm(2, {_RNGS})"),
    _module("group-norm", f"nnx.GroupNorm(2, num_groups=1, {_RNGS})"),
    _module("attention", f"nnx.MultiHeadAttention(2, 4, {_RNGS})"),
    _module("decoder", f"nnx.MultiHeadAttention(2, 4, decode=True, {_RNGS})"),
    _module("lora", f"nnx.LoRA(2, 1, 3, {_RNGS})"),
    _module("lora-linear", f"nnx.LoRALinear(2, 3, lora_rank=1, {_RNGS})"),
    _module("lstm", f"nnx.LSTMCell(2, 3, {_RNGS})"),
    _module("lstm-optimized", f"nnx.OptimizedLSTMCell(2, 3, {_RNGS})"),
    _module("gru", f"nnx.GRUCell(2, 3, {_RNGS})"),
    _module("simple-cell", f"nnx.SimpleCell(2, 3, {_RNGS})"),
    _module("spectral-norm", f"nnx.SpectralNorm(nnx.Linear(2, 3, {_RNGS}), {_RNGS})"),
    _module("weight-norm", f"nnx.WeightNorm(nnx.Linear(2, 3, {_RNGS}), {_RNGS})"),
    _module("prelu", "nnx.PReLU()"),
    _module("sequential", f"nnx.Sequential(nnx.Linear(2, 2, {_RNGS}), nnx.Linear(2, 3, {_RNGS}))"),
    _module("metrics", "nnx.MultiMetric(loss=nnx.metrics.Average('loss'))"),
    _module("accuracy", "nnx.metrics.Accuracy()"),
    _module("welford", "nnx.metrics.Welford()"),
    _module("list", f"nnx.List([nnx.Linear(2, 2, {_RNGS}), nnx.Param(jnp.ones(3))])"),
    _module("dict", f"nnx.Dict(b=nnx.Linear(2, 2, {_RNGS}), a=nnx.Param(jnp.ones(3)))"),
    _module("tied", "NnxStored(nnx.Rngs(0))", _BLOCK),
    _module("twice", "NnxTwice(nnx.Rngs(0))", _LOOP),
    _module("optimizer", f"nnx.Optimizer({_LINEAR}, optax.adam(0.1), wrt=nnx.Param)"),
    _module("both", f"nnx.ModelAndOptimizer({_LINEAR}, optax.sgd(0.1, 0.9), wrt=nnx.Param)"),
)  # fmt: skip


@st.composite
def carried_modules(draw: st.DrawFn) -> Recipe:
    """Bind `make`, which makes a module, and `module`, the same with numbers by their places.

    Also `state`, that of the module without random keys, which files do not always hold, and
    `abstract`, what `nnx.eval_shape` gives for it.
    """
    scope = Scope()
    scope.define(NUMBERED, _NUMBERED)
    kind = draw(st.sampled_from(available(STORED)))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    scope.bind("make", f"lambda: {kind.template}")
    scope.bind("module", "numbered_module(make)")
    scope.bind("state", f"nnx.state(module, {_NO_KEYS})")
    scope.bind("abstract", f"nnx.state(nnx.eval_shape(make), {_NO_KEYS})")
    return scope.recipe()
