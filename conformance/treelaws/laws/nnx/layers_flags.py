"""Flax NNX: flags of layers, and the arguments that their documentation lists."""

from __future__ import annotations

import inspect
import re

import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import names
from hypothesis_pytrees.nnx.layers.flagged import dropped, flagged
from treelaws.equality import equal, same, true

from .layers import law

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx"
_FUNCTIONS = (
    "nnx.dot_product_attention",
    "nnx.dot_product_attention_weights",
    "nnx.make_attention_mask",
    "nnx.make_causal_mask",
    "nnx.combine_masks",
    "nnx.avg_pool",
    "nnx.max_pool",
    "nnx.min_pool",
)
_CLASSES = (
    "nnx.Linear",
    "nnx.LinearGeneral",
    "nnx.Einsum",
    "nnx.Conv",
    "nnx.ConvTranspose",
    "nnx.Embed",
    "nnx.LoRA",
    "nnx.LoRALinear",
    "nnx.BatchNorm",
    "nnx.LayerNorm",
    "nnx.RMSNorm",
    "nnx.GroupNorm",
    "nnx.InstanceNorm",
    "nnx.WeightNorm",
    "nnx.SpectralNorm",
    "nnx.Dropout",
    "nnx.MultiHeadAttention",
    "nnx.RoPE",
    "nnx.RNN",
    "nnx.Bidirectional",
    "nnx.LSTMCell",
    "nnx.OptimizedLSTMCell",
    "nnx.SimpleCell",
    "nnx.GRUCell",
)
_METHODS = ("__call__", "set_view", "init_cache", "initialize_carry", "attend")


@st.composite
def _documented(draw: st.DrawFn) -> Recipe:
    """Bind `function`, a public one, a layer or a method of it, and `made`, what is called."""
    scope = Scope()
    known = [name for name in (*_FUNCTIONS, *_CLASSES) if names.has(name)]
    name = draw(st.sampled_from(known))
    scope.bind("function", name)
    scope.bind("made", "function.__init__" if name in _CLASSES else "function")
    methods = [one for one in _METHODS if scope.value(f"hasattr(function, {one!r})")]
    if name in _CLASSES and methods and draw(st.booleans()):
        method = draw(st.sampled_from(methods))
        scope.rebind("made", f"function.{method}")
        scope.rebind("function", "made")
        scope.note(f"method:{method}")
    scope.note(f"of:{name.removeprefix('nnx.')}")
    return scope.recipe()


@law(
    "a layer, and each method of it, takes each argument that its documentation lists",
    source=f"{_DOCS}/nn/index.html",
    level="should",
    needs={"LoRA", "MultiHeadAttention", "LSTMCell"},
    case=_documented(),
)
def listed_arguments_are_taken(lib, case):
    equal(sorted(_listed(case.function) - _taken(case.made)), [])


@law(
    "a layer does the same whether a flag is given to its constructor or call, assigned, set by "
    "`train`, `eval`, `set_attributes` or `with_attributes`, or is that of a view",
    source=f"{_DOCS}/module.html#flax.nnx.view",
    needs={"Dropout", "BatchNorm", "MultiHeadAttention"},
    case=flagged(),
)
def flags_do_the_same_however_set(lib, case):
    wanted = case.told(case.x, **case.options)
    same(case.layer(case.x), wanted)
    same(case.layer(case.x), case.told(case.x, **case.options))


@law(
    "`Dropout` drops or scales each value, alike along its `broadcast_dims`",
    source=f"{_DOCS}/nn/stochastic.html#flax.nnx.Dropout",
    needs={"Dropout"},
    case=dropped(),
)
def dropout_drops_or_scales(lib, case):
    got = case.layer(case.x, **case.options)
    equal((got.shape, got.dtype), (case.x.shape, case.x.dtype))
    kept = jnp.asarray(case.x / (1 - case.rate), case.x.dtype)
    true(bool(((got == 0) | (got == kept)).all()), got, "zeros and scaled values")
    first = np.asarray(got.astype(jnp.float32))
    for axis in case.shared:
        same(first, np.broadcast_to(first.take([0], axis), first.shape))


def _listed(function):
    """Return the names of the arguments in a docstring."""
    doc = inspect.getdoc(function) or ""
    found = re.search(r"^Arg(?:ument)?s:\n((?: .*\n|\n)+)", f"{doc}\n", re.MULTILINE)
    lines = found[1].splitlines() if found else []
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    pattern = rf" {{{min(indents, default=0)}}}(\w+)(?: \(.*?\))?:"
    return {name[1] for line in lines if (name := re.match(pattern, line))}


def _taken(function):
    """Return the names of the parameters; with `**kwargs`, also those of the base class."""
    parameters = inspect.signature(function).parameters
    taken = {*parameters}
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        owner = getattr(inspect.getmodule(function), function.__qualname__.partition(".")[0])
        taken |= {*inspect.signature(owner.__base__.__init__).parameters}
    return taken
