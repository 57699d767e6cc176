"""Mutants of Flax NNX that keep names of arguments and metadata for themselves."""

from __future__ import annotations

import functools

from selftest.mutant import mutant

_ID = "nnx.names."


@mutant("nnx", kills=[_ID + "modules_are_made_with_keywords_of_any_name"])
def dicts_take_a_mapping_by_name(nnx):
    """`Dict` drops an argument `name`."""

    def init(self, *args, name=None, **kwargs):
        super(broken, self).__init__(*args, **kwargs)

    broken = type("Dict", (nnx.Dict,), {"__init__": init})
    return {"Dict": broken}


@mutant("nnx", kills=[_ID + "functions_are_called_with_keywords_of_any_name"])
def jit_takes_a_key(nnx):
    """A function that `jit` returns takes an argument `key` for itself."""

    def jit(function, **options):
        made = nnx.jit(function, **options)

        @functools.wraps(function)
        def called(*args, key=None, **kwargs):
            return made(*args, **kwargs)

        return called

    return {"jit": jit}


@mutant("nnx", kills=[_ID + "metadata_has_any_name"])
def with_metadata_drops_a_name(nnx):
    """`with_metadata` drops the metadata `step`."""

    def with_metadata(initializer, step=None, **metadata):
        return nnx.with_metadata(initializer, **metadata)

    return {"with_metadata": with_metadata}


@mutant("nnx", kills=[_ID + "metrics_are_named_after_any_argument"])
def averages_take_a_model(nnx):
    """`Average.update` of every metric takes an argument `model` for itself."""

    update = nnx.metrics.Average.update

    def updated(self, mask=None, model=None, **kwargs):
        return update(self, mask=mask, **kwargs)

    return {"metrics.Average.update": updated}
