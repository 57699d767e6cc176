"""Mutants of `ToNNX` and of `lazy_init`."""

from __future__ import annotations

import jax
import jax.core
import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant
from treelaws.compat import nnx as nnx_api

_ID = "nnx.bridge."


def _converting(nnx, **methods):
    """Replace `ToNNX` by a subclass with other methods."""
    return {"bridge.ToNNX": type("ToNNX", (nnx.bridge.ToNNX,), methods)}


def _calling(nnx, change):
    """Replace `ToNNX` by one whose results, after `lazy_init`, are changed."""
    real = nnx.bridge.ToNNX

    def call(self, *args, **options):
        return change(real.__call__(self, *args, **options))

    return _converting(nnx, __call__=call)


def _initialising(nnx, change):
    """Replace `ToNNX` by one whose own Variables `lazy_init` replaces by others."""
    real = nnx.bridge.ToNNX

    def lazy_init(self, *args, **options):
        real.lazy_init(self, *args, **options)
        for name, value in list(vars(self).items()):
            if isinstance(value, nnx.Variable):
                setattr(self, name, change(value))
        return self

    return _converting(nnx, lazy_init=lazy_init)


@mutant(
    "nnx",
    kills=[
        _ID + "lazy_init_makes_the_variables_of_linen",
        _ID + "modules_come_back_from_linen",
    ],
)
def all_variables_are_parameters(nnx):
    """`lazy_init` makes a Param of each variable, whatever its collection."""
    return _initialising(nnx, lambda variable: nnx.Param(nnx_api.raw_value(variable)))


@mutant("nnx", kills=[_ID + "converted_linen_modules_return_the_same"])
def results_are_of_half_precision(nnx):
    """A converted module returns numbers of half precision."""
    halve = lambda result: jtu.tree_map(lambda leaf: leaf.astype(jnp.float16), result)
    return _calling(nnx, halve)


@mutant("nnx", kills=[_ID + "converted_linen_modules_have_the_gradient_of_linen"])
def gradients_stop_at_the_bridge(nnx):
    """The gradient of what a converted module returns is zero."""
    return _calling(nnx, jax.lax.stop_gradient)


@mutant("nnx", kills=[_ID + "mutable_collections_are_updated"])
def own_variables_are_not_updated(nnx):
    """A call updates variables of modules inside alone."""
    real = nnx.bridge.ToNNX

    def call(self, *args, **options):
        own = {name: held for name, held in vars(self).items() if isinstance(held, nnx.Variable)}
        result = real.__call__(self, *args, **options)
        for name, held in own.items():
            setattr(self, name, held)
        return result

    return _converting(nnx, __call__=call)


@mutant("nnx", kills=[_ID + "converted_linen_modules_are_transformed"])
def transformed_calls_update_nothing(nnx):
    """A call within a transformation ignores `mutable`."""
    real = nnx.bridge.ToNNX

    def call(self, x, mutable=False, **options):
        is_traced = isinstance(x, jax.core.Tracer)
        return real.__call__(self, x, mutable=not is_traced and mutable, **options)

    return _converting(nnx, __call__=call)


@mutant("nnx", kills=[_ID + "streams_give_linen_their_next_keys"])
def calls_do_not_advance_streams(nnx):
    """A call draws from copies of the streams, so that the next call gets the same keys."""
    real = nnx.bridge.ToNNX

    def call(self, *args, rngs=None, **options):
        rngs = None if rngs is None else nnx.clone(rngs)
        return real.__call__(self, *args, rngs=rngs, **options)

    return _converting(nnx, __call__=call)


@mutant("nnx", kills=[_ID + "boxes_come_back_to_linen"])
def boxes_are_not_remembered(nnx):
    """`lazy_init` takes values out of their boxes and does not keep what the boxes say."""
    return _initialising(nnx, lambda variable: type(variable)(nnx_api.raw_value(variable)))


@mutant(
    "nnx",
    kills=[
        _ID + "lazy_init_reaches_converted_modules",
        _ID + "modules_can_be_converted_at_any_level",
    ],
)
def a_variable_of_held_modules_is_missing(nnx):
    """`lazy_init` of a module that holds converted ones makes a variable less in them."""
    real = nnx.bridge.lazy_init

    def lazy_init(function, *args, **options):
        module = real(function, *args, **options)
        for _, held in nnx.iter_graph(module):
            if isinstance(held, nnx.bridge.ToNNX) and held is not module:
                own = (name for name in vars(held) if isinstance(vars(held)[name], nnx.Variable))
                if (name := next(own, None)) is not None:
                    delattr(held, name)
        return module

    return {"bridge.lazy_init": lazy_init}


@mutant("nnx", kills=[_ID + "mapped_linen_modules_have_variables_for_each_row"])
def rows_are_returned_in_reverse(nnx):
    """`vmap` returns the rows of a result in reverse."""

    def vmap(function, **options):
        mapped = nnx.vmap(function, **options)
        return lambda *args: jtu.tree_map(lambda leaf: leaf[::-1], mapped(*args))

    return {"vmap": vmap}
