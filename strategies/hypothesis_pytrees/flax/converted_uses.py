"""Uses of modules of Flax NNX that are converted to Linen: over rows, and with streams of keys."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .convertible import OF_ARRAYS, PLAIN, convertible

_MAPPED = """\
class NnxLinenMaps(flax.linen.Module):
    parts: tuple

    @flax.linen.compact
    def __call__(self, xs):
        mapped = flax.linen.vmap(
            nnx.bridge.ToLinen,
            variable_axes=dict.fromkeys(('params', 'batch_stats', 'cache', 'nnx_counts'), 0),
            split_rngs={'params': True},
        )
        return mapped(NnxConvertible, args=(self.parts,), name='inner')(xs)
"""


@st.composite
def mapped_convertible(draw: st.DrawFn) -> Recipe:
    """Draw as `convertible`, and `mapped`, which maps the converted module over rows `xs`."""
    scope = Scope()
    scope.include(draw(convertible(values=OF_ARRAYS, metadata=PLAIN)))
    scope.define(_MAPPED)
    scope.bind("mapped", "NnxLinenMaps(parts)")
    scope.bind("xs", "jnp.stack([x, x + 1])")
    return scope.recipe()


_STREAMS = """\
class NnxNamesStreams(nnx.Module):
    def __init__(self, rngs):
        self.names = tuple(sorted(rngs))

    def __call__(self):
        return self.names
"""


@st.composite
def converted_streams(draw: st.DrawFn) -> Recipe:
    """Draw `keys` by the name of their stream, and a converted module `linen`, which names them."""
    scope = Scope()
    scope.define(_STREAMS)
    table = st.sampled_from(("params", "dropout", "default", "noise"))
    names = draw(st.lists(table, min_size=1, unique=True))
    keys = ", ".join(f"{name!r}: jax.random.key({place})" for place, name in enumerate(names))
    scope.bind("keys", f"{{{keys}}}")
    scope.bind("linen", "nnx.bridge.to_linen(NnxNamesStreams)")
    return scope.recipe()
