"""Mutants of what calls of layers keep."""

from __future__ import annotations

from selftest.mutant import mutant
from treelaws.compat import nnx as nnx_api


def _layers(nnx, after):
    """Return subclasses of layers that do something to themselves after each call."""

    def subclass(base):
        def call(self, *args, **options):
            result = base.__call__(self, *args, **options)
            after(self)
            return result

        return type(base)(base.__name__, (base,), {"__call__": call})

    return {name: subclass(getattr(nnx, name)) for name in ("Linear", "Conv", "BatchNorm")}


@mutant("nnx", kills=["nnx.layers.calls_keep_the_variables"])
def calls_make_the_bias_a_statistic(nnx):
    """A call of a layer makes its bias another type of Variable."""

    def after(layer):
        if layer.bias is not None:
            layer.bias = nnx.BatchStat(nnx_api.value(layer.bias))

    return _layers(nnx, after)


@mutant("nnx", kills=["nnx.layers.calls_keep_the_graphdef"])
def calls_are_marked(nnx):
    """A call of a layer leaves an attribute in it."""
    return _layers(nnx, lambda layer: setattr(layer, "was_called", True))
