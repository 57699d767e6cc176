"""Modules with methods of their own, which Linen and Flax NNX call within each other."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_LINEN = """\
class NnxLinenWithMethods(flax.linen.Module):
    def setup(self):
        self.w = self.param('w', lambda key: jax.device_put(np.float32(2)))
        self.count = self.variable('stats', 'count', lambda: jax.device_put(np.float32(0)))

    def __call__(self, x):
        return x * self.w

    def encode(self, x, shift=0, *, scale=1):
        if self.is_mutable_collection('stats') and not self.is_initializing():
            self.count.value = self.count.value + 1
        return (x * self.w + shift) * scale + self.count.value


class NnxLinenWithCompactMethods(flax.linen.Module):
    @flax.linen.compact
    def __call__(self, x):
        return x * self.param('w', lambda key: jax.device_put(np.float32(2)))

    @flax.linen.compact
    def encode(self, x, shift=0, *, scale=1):
        count = self.variable('stats', 'count', lambda: jax.device_put(np.float32(0)))
        if self.is_mutable_collection('stats') and not self.is_initializing():
            count.value = count.value + 1
        return (x * self.param('w', lambda key: np.float32(3)) + shift) * scale + count.value
"""
_NNX = """\
class NnxWithMethods(nnx.Module):
    def __init__(self, rngs=None):
        self.w = nnx.Param(jax.device_put(np.float32(2)))
        self.count = nnx.BatchStat(jax.device_put(np.float32(0)))

    def __call__(self, x):
        return x * self.w[...]

    def encode(self, x, shift=0, *, scale=1):
        self.count[...] += 1
        return (x * self.w[...] + shift) * scale + self.count[...]


class NnxLinenCallsMethods(flax.linen.Module):
    def setup(self):
        self.inner = nnx.bridge.to_linen(NnxWithMethods)

    def __call__(self, x):
        return self.inner(x)

    def encode(self, *args, **named):
        return self.inner.encode(*args, **named)
"""
_ARGS = ("", "1.0", "jnp.float32(0.5)")
_NAMED = ("", "scale=2", "scale=jnp.float32(4)", "shift=3", "shift=3, scale=2")


def _draw_call(draw: st.DrawFn, scope: Scope) -> None:
    scope.bind("x", "jax.device_put(np.float32([1.0, -2.0]))")
    args = draw(st.sampled_from(_ARGS))
    scope.bind("args", f"(x, {args})")
    named = [one for one in _NAMED if not (args and "shift" in one)]
    scope.bind("named", f"dict({draw(st.sampled_from(named))})")


@st.composite
def linen_methods(draw: st.DrawFn) -> Recipe:
    """Draw a Linen `module`, how to name its `method`, and `args` and `named` for it.

    `initialise(converted)` runs the method to make the variables, `call(converted, **options)`
    runs it with these; `mutable` are the collections that may change.
    """
    scope = Scope()
    scope.define(_LINEN)
    name = draw(st.sampled_from(("NnxLinenWithMethods", "NnxLinenWithCompactMethods")))
    scope.bind("module", f"{name}()")
    _draw_call(draw, scope)
    forms = ("'encode'", f"{name}.encode", "module.encode")
    scope.bind("method", draw(st.sampled_from(forms)))
    scope.bind("mutable", draw(st.sampled_from(("False", "['stats']", "True"))))
    by_method = "converted.lazy_init(*args, method=method, **named)"
    # The two do the same in another way.
    ways = (by_method, "nnx.bridge.lazy_init(converted.encode, *args, **named)")
    initial = draw(st.integers(0, 1))
    scope.note("start:method" if initial == 0 else "start:attribute")
    scope.bind("initialise", f"lambda converted: {ways[initial]}")
    calls = (
        "converted(*args, method=method, **named, **options)",
        "converted.encode(*args, **named, **options)",
    )
    called = draw(st.integers(0, 1))
    scope.note("call:method" if called == 0 else "call:attribute")
    scope.bind("call", f"lambda converted, **options: {calls[called]}")
    return scope.recipe()


# By name: how a method of the converted module is applied.
_APPLIED = {
    "name": "linen.apply(variables, *args, nnx_method='encode', mutable=True, **named)",
    "function": "linen.apply(variables, *args, nnx_method=NnxWithMethods.encode, mutable=True, "
    "**named)",
    "method": "linen.apply(variables, *args, method='encode', mutable=True, **named)",
    "parent": "NnxLinenCallsMethods().apply("
    "{key: {'inner': one} for key, one in variables.items()}, *args, method='encode', "
    "mutable=True, **named)",
}


@st.composite
def converted_methods(draw: st.DrawFn) -> Recipe:
    """Draw `make()`, a module of NNX, and `linen`, the converted one.

    `apply(variables)` applies its method `encode` to `args` and `named`, in Linen. Features are
    `way:` with how the method is named.
    """
    scope = Scope()
    scope.define(_NNX)
    scope.bind("make", "NnxWithMethods")
    scope.bind("linen", "nnx.bridge.to_linen(NnxWithMethods)")
    _draw_call(draw, scope)
    way = draw(st.sampled_from(tuple(_APPLIED)))
    scope.note(f"way:{way}")
    scope.bind("apply", f"lambda variables: {_APPLIED[way]}[0]")
    return scope.recipe()
