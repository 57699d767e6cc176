"""Uses of Linen modules that are converted to Flax NNX: in transforms, in modules, with boxes."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .boxes import OWN_BOX
from .linen_models import FIXED, OF_ARRAYS, UNCHANGING, linen_models

# Each returns the result of `nnx_call(model, x)`, and the module that has changed by it.
_WAYS = {
    "jit": "nnx.jit(nnx_call)(model, x), model",
    "remat": "nnx.remat(nnx_call)(model, x), model",
    "cond": "nnx.cond(True, nnx_call, nnx_call, model, x), model",
    "switch": "nnx.switch(1, [nnx_call, nnx_call], model, x), model",
    "grad": (
        "nnx.grad(lambda held, x: (lambda y: (y.sum(), y))(nnx_call(held, x)), has_aux=True)"
        "(model, x)[1], model"
    ),
    "merge": "(lambda held: (nnx_call(held, x), held))(nnx.merge(*nnx.split(model)))",
    "clone": "(lambda held: (nnx_call(held, x), held))(nnx.clone(model))",
    "scan": (
        "nnx.scan(lambda held, x: (held, nnx_call(held, x)), in_axes=(nnx.Carry, 0))"
        "(model, x[None])[1][0], model"
    ),
}


@st.composite
def transformed_linen(draw: st.DrawFn) -> Recipe:
    """Draw a Linen `module`, a call `nnx_call(model, x)`, and `run(model, x)`, which transforms it.

    `run` returns the result, and the module that holds what the call has changed.
    """
    scope = Scope()
    scope.include(draw(linen_models(values=OF_ARRAYS)))
    scope.bind(
        "nnx_call",
        "lambda model, x: model(x, mutable=mutable, rngs=nnx.Rngs(**seeds))",
    )
    # Within a loop no variable can be added.
    ways = tuple(way for way in _WAYS if way != "scan" or "step:sow" not in scope.features)
    way = draw(st.sampled_from(ways))
    scope.note(f"way:{way}")
    scope.bind("run", f"lambda model, x: ({_WAYS[way]})")
    return scope.recipe()


_MAPPED = """\
class NnxMapsLinen(nnx.Module):
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, xs):
        called = nnx.vmap(lambda inner, x: inner(x), in_axes=(0, 0), axis_size=2)
        return nnx.split_rngs(splits=2)(called)(self.inner, xs)
"""


@st.composite
def mapped_linen(draw: st.DrawFn) -> Recipe:
    """Draw a Linen `module` and `outer`, which maps the converted one over rows `xs`."""
    scope = Scope()
    scope.define(_MAPPED)
    scope.include(draw(linen_models(values=OF_ARRAYS, kinds=UNCHANGING)))
    scope.bind("outer", "NnxMapsLinen(nnx.bridge.ToNNX(module, rngs=nnx.Rngs(**seeds)))")
    scope.bind("xs", "jnp.stack([x, x + 1])")
    return scope.recipe()


_HOLDERS = """\
class NnxHoldsLinen(nnx.Module):
    def __init__(self, held):
        self.bias = nnx.Param(jax.device_put(np.float32(0.5)))
        self.held = held

    def __call__(self, x):
        held = self.held
        for one in held.values() if isinstance(held, dict) else held:
            x = one(x)
        return x + self.bias


class NnxHoldsOneLinen(nnx.Module):
    def __init__(self, held):
        self.bias = nnx.Param(jax.device_put(np.float32(0.5)))
        self.held = held

    def __call__(self, x):
        return self.held(x) + self.bias


class NnxLinenHolder(flax.linen.Module):
    held: flax.linen.Module

    @flax.linen.compact
    def __call__(self, x):
        bias = self.param('bias', lambda key: jax.device_put(np.float32(0.5)))
        return self.held(x) + bias


nnx_holding = getattr(nnx, 'data', lambda held: held)
"""
_CONTAINERS = {
    "attribute": "NnxHoldsOneLinen({})",
    "list": "NnxHoldsLinen(nnx_holding([{}]))",
    "tuple": "NnxHoldsLinen(nnx_holding(({},)))",
    "dict": "NnxHoldsLinen(nnx_holding(dict(a={})))",
    "module": "NnxHoldsLinen(nnx_holding([NnxHoldsOneLinen({})]))",
}


@st.composite
def held_linen(draw: st.DrawFn) -> Recipe:
    """Draw a Linen `module`; `outer`, a module of NNX that holds the converted one as `part`; and
    `linen`, the module of Linen that does the same as `NnxHoldsOneLinen(part)`.

    `bias` is the sum of what `outer` itself adds.
    """
    scope = Scope()
    scope.define(_HOLDERS)
    scope.include(draw(linen_models(values=OF_ARRAYS, kinds=FIXED)))
    scope.bind("part", "nnx.bridge.ToNNX(module, rngs=nnx.Rngs(**seeds))")
    container = draw(st.sampled_from(tuple(_CONTAINERS)))
    scope.note(f"held:{container}")
    scope.bind("outer", _CONTAINERS[container].format("part"))
    scope.bind("bias", f"np.float32({1.0 if container == 'module' else 0.5})")
    scope.bind("holder", "NnxHoldsOneLinen(nnx.bridge.ToNNX(module, rngs=nnx.Rngs(**seeds)))")
    scope.bind("linen", "NnxLinenHolder(module)")
    return scope.recipe()


_BOXED = """\
class NnxBoxedLinen(flax.linen.Module):
    make: typing.Callable

    @flax.linen.compact
    def __call__(self, x):
        held = self.variable('stats', 'w', self.make)
        box = self.get_variable('stats', 'w')
        if self.is_mutable_collection('stats') and not self.is_initializing():
            held.value = held.value + 1
        return x, box


def nnx_unplaced():
    # Without a mesh, newer releases refuse names of axes unless this setting is off.
    import contextlib
    from flax.configurations import config

    if hasattr(config, 'flax_always_shard_variable'):
        return config.temp_flip_flag('always_shard_variable', False)
    return contextlib.nullcontext()
"""
_BOXES = {
    "own": "FlaxUnitBox(value, ('m',))",
    "own-default": "FlaxUnitBox(value)",
    "Partitioned": "flax.linen.Partitioned(value, names={})",
    "LogicallyPartitioned": "flax.linen.LogicallyPartitioned(value, names={})",
    "rules": ("flax.linen.LogicallyPartitioned(value, names={}, rules=(('rows', 'data'),))"),
}
_NAMES = ("()", "('rows',)", "(None, 'rows')", "('columns', 'rows')")


@st.composite
def boxed_linen(draw: st.DrawFn) -> Recipe:
    """Draw a Linen `module` with a value in a box, its input `x`, and the setting `unplaced`.

    The module returns its input and the box that it sees. A call adds one to the value if the
    collection `stats` is mutable. Features are `box:` with the kind of the box.
    """
    scope = Scope()
    scope.define(OWN_BOX, _BOXED)
    shape = draw(st.sampled_from(("[[1.0, 2.0]]", "[[0.5], [4.0]]")))
    scope.bind("value", f"jax.device_put(np.float32({shape}))")
    kind = draw(st.sampled_from(tuple(_BOXES)))
    scope.note(f"box:{kind}")
    names = draw(st.sampled_from(_NAMES))
    scope.bind("module", f"NnxBoxedLinen(lambda: {_BOXES[kind].format(names)})")
    scope.bind("x", "jax.device_put(np.float32([1.0, -2.0]))")
    scope.bind("mutable", draw(st.sampled_from(("['stats']", "True"))))
    scope.bind("unplaced", "nnx_unplaced")
    return scope.recipe()
