"""Mutants of `to_linen` and `ToLinen`."""

from __future__ import annotations

import flax.core
import jax
import jax.core
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "nnx.bridge."


class _Converted:
    """A converted module with some methods replaced."""

    def __init__(self, real, methods):
        self._real, self._methods = real, methods

    def __getattr__(self, name):
        method = getattr(self._real, name)
        if name not in self._methods:
            return method
        return lambda *args, **options: self._methods[name](method, *args, **options)


def _converting(nnx, **methods):
    """Replace methods of converted modules; each gets the real method and its arguments."""
    bridge = nnx.bridge
    return {
        f"bridge.{name}": lambda *args, make=make, **options: _Converted(
            make(*args, **options), methods
        )
        for name, make in (("to_linen", bridge.to_linen), ("ToLinen", bridge.ToLinen))
    }


@mutant("nnx", kills=[_ID + "init_gives_the_variables_of_the_module"])
def caches_are_left_out(nnx):
    """`init` leaves out the collection `cache`."""

    def init(real, *args):
        return {name: held for name, held in real(*args).items() if name != "cache"}

    return _converting(nnx, init=init)


@mutant("nnx", kills=[_ID + "converted_nnx_modules_return_the_same"])
def results_lose_half_their_precision(nnx):
    """`apply` returns numbers of half precision."""

    def apply(real, *args, **options):
        halve = lambda leaf: jnp.asarray(leaf, jnp.float16)
        return jtu.tree_map(halve, real(*args, **options))

    return _converting(nnx, apply=apply)


@mutant("nnx", kills=[_ID + "applications_in_a_row_are_calls_in_a_row"])
def updates_are_old(nnx):
    """`apply` gives the variables that it got, without what the call has changed."""

    def apply(real, variables, *args, **options):
        result = real(variables, *args, **options)
        return (result[0], variables) if "mutable" in options else result

    return _converting(nnx, apply=apply)


@mutant("nnx", kills=[_ID + "metadata_is_kept_in_boxes"])
def values_have_no_boxes(nnx):
    """`init` gives values without their boxes."""
    return _converting(nnx, init=lambda real, *args: flax.core.meta.unbox(real(*args)))


@mutant("nnx", kills=[_ID + "init_gives_the_same_tree_within_jit"])
def traced_variables_are_frozen(nnx):
    """`init` gives a FrozenDict within `jit`."""

    def init(real, key, *args):
        variables = real(key, *args)
        return flax.core.freeze(variables) if isinstance(key, jax.core.Tracer) else variables

    return _converting(nnx, init=init)


@mutant("nnx", kills=[_ID + "streams_are_those_of_rngs"])
def one_stream_is_enough(nnx):
    """`init_with_output` uses the first stream of `rngs` alone."""

    def init_with_output(real, keys):
        return real(dict(list(keys.items())[:1]))

    return _converting(nnx, init_with_output=init_with_output)


@mutant("nnx", kills=[_ID + "converted_nnx_modules_are_mapped"])
def mapped_calls_return_more(nnx):
    """A converted module returns one more within a transformation."""
    real = nnx.bridge.ToLinen

    class ToLinen(real):
        def __call__(self, x):
            result = super().__call__(x)
            is_traced = isinstance(x, jax.core.Tracer)
            return jtu.tree_map(lambda leaf: leaf + 1, result) if is_traced else result

    return {"bridge.ToLinen": ToLinen}
