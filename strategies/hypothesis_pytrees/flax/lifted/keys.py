"""Modules that show the keys of their streams of random numbers, under lifted transforms."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import mapping_of

_CODE = """\
class FlaxLinenKeys(flax.linen.Module):
    # Returns its first argument, and the data of a key of each stream.
    streams: tuple

    def __call__(self, c, *xs):
        return c, {name: jax.random.key_data(self.make_rng(name)) for name in self.streams}


class FlaxLinenKeysHolder(flax.linen.Module):
    inner: flax.linen.Module
    call: typing.Callable

    def __call__(self, *args):
        return self.call(self.inner, *args)


def flax_linen_noted(inner, held):
    # Adds the keys of an iteration to those of the ones before.
    index, noted = held
    _, keys = inner(index)
    return index + 1, {name: noted[name].at[index].set(keys[name]) for name in keys}
"""
_WAYS = {
    "vmap": "flax.linen.vmap(FlaxLinenKeys, {options}, in_axes=(None, 0))(streams)",
    "vmap-sized": (
        "flax.linen.vmap(FlaxLinenKeys, {options}, in_axes=None, axis_size=size)(streams)"
    ),
    "vmap-spmd": (
        "flax.linen.vmap(FlaxLinenKeys, {options}, in_axes=(None, 0), spmd_axis_name='i')(streams)"
    ),
    "vmap-function": (
        "FlaxLinenKeysHolder(FlaxLinenKeys(streams), flax.linen.vmap("
        "lambda inner, *args: inner(*args), {options}, in_axes=(None, 0)))"
    ),
    "scan": "flax.linen.scan(FlaxLinenKeys, {options})(streams)",
    "scan-reverse": "flax.linen.scan(FlaxLinenKeys, {options}, reverse=True)(streams)",
    "while_loop": (
        "FlaxLinenKeysHolder(FlaxLinenKeys(streams), lambda inner, c, xs: flax.linen.while_loop("
        "lambda inner, held: held[0] < size, flax_linen_noted, inner, (jnp.int32(0), "
        "{{name: jnp.zeros((size, *data.shape), np.uint32) for name in streams}}), {options}))"
    ),
    "remat_scan": (
        "FlaxLinenKeysHolder(FlaxLinenKeys(streams), lambda inner, c, xs: flax.linen.remat_scan("
        "flax_linen_noted, lengths={lengths}, {options})(inner, (jnp.int32(0), "
        "{{name: jnp.zeros((size, *data.shape), np.uint32) for name in streams}})))"
    ),
}
# The lengths of nested loops by their product.
_LENGTHS = {1: ("(1,)",), 2: ("(2,)", "(1, 2)"), 3: ("(3,)", "(3, 1)"), 4: ("(2, 2)", "(4,)")}
_KEYS = ("jax.random.key({n})", "jax.random.PRNGKey({n})", "jax.random.key({n}, impl='rbg')")


@st.composite
def split_streams(draw: st.DrawFn) -> Recipe:
    """Draw `model`, which returns `c` and, by stream, the data of a key for each index.

    `size` is the number of indices, `args` are the arguments of `apply`, `seeds` its streams, and
    `split_of` says for each stream whether it is split. Features are `way:` with the transform.
    """
    scope = Scope()
    scope.define(_CODE)
    names = draw(st.lists(st.sampled_from(("params", "noise", "a")), min_size=1, unique=True))
    split_of = {name: str(draw(st.booleans())) for name in names}
    scope.bind("streams", repr(tuple(names)))
    pairs = ", ".join(f"{name!r}: {is_split}" for name, is_split in split_of.items())
    scope.bind("split_of", f"{{{pairs}}}")
    size = draw(st.integers(1, 4))
    scope.bind("size", str(size))
    key = draw(st.sampled_from(_KEYS))
    seeds = ", ".join(f"{name!r}: {key.format(n=n)}" for n, name in enumerate(names))
    scope.bind("seeds", f"{{{seeds}}}")
    scope.bind("data", f"jax.random.key_data({key.format(n=0)})")
    way = draw(st.sampled_from(tuple(_WAYS)))
    text = mapping_of(draw, scope, split_of)
    scope.note(f"way:{way}", *(["split:some"] if "True" in split_of.values() else []))
    options = f"split_rngs={text}"
    lengths = draw(st.sampled_from(_LENGTHS[size]))
    scope.bind("model", _WAYS[way].format(options=options, lengths=lengths))
    scope.bind("args", "(jnp.float32(1), jnp.zeros(size, np.float32))")
    return scope.recipe()
