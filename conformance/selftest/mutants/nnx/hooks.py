"""Mutants of the hooks of Variables."""

from __future__ import annotations

from selftest.mutant import mutant

from ._patching import attributes, forget

_ID = "nnx.hooks."


def _types(nnx, **methods):
    """Return the types from which hooked ones are made, each with some methods replaced."""
    return {
        name: type(nnx.Param)(name, (getattr(nnx, name),), {"__slots__": (), **methods})
        for name in ("Param", "Cache", "Variable")
    }


def _forgetting(nnx, hook):
    def merge(*args, **options):
        return forget(nnx.merge(*args, **options), hook)

    def clone(node, **options):
        return forget(nnx.clone(node, **options), hook)

    return {"merge": merge, "clone": clone}


@mutant("nnx", kills=[_ID + "reading_runs_the_hook"])
def reading_is_raw(nnx):
    """`get_value` runs no hook."""
    return _types(nnx, get_value=lambda self, **options: self.get_raw_value())


@mutant("nnx", kills=[_ID + "every_way_of_reading_runs_the_hook"])
def items_are_raw(nnx):
    """`variable[...]` and jax.numpy run no hook."""
    return _types(
        nnx,
        __getitem__=lambda self, index: self.get_raw_value()[index],
        __jax_array__=lambda self: self.get_raw_value(),
    )


@mutant("nnx", kills=[_ID + "writing_runs_the_hook"])
def writing_is_raw(nnx):
    """`set_value` runs no hook."""
    return _types(nnx, set_value=lambda self, value, **options: self.set_raw_value(value))


@mutant("nnx", kills=[_ID + "the_hook_on_reading_travels"])
def merge_forgets_the_hook_on_reading(nnx):
    """`merge` and `clone` take the hook on reading away."""
    return _forgetting(nnx, "on_get_value")


@mutant("nnx", kills=[_ID + "the_hook_on_writing_travels"])
def merge_forgets_the_hook_on_writing(nnx):
    """`merge` and `clone` take the hook on writing away."""
    return _forgetting(nnx, "on_set_value")


@mutant("nnx", kills=[_ID + "the_hook_on_creation_runs_once"])
def merge_creates_variables(nnx):
    """`merge` makes Variables by calling their type."""

    def merge(*args, **options):
        module = nnx.merge(*args, **options)
        for node, name, value in attributes(module):
            if isinstance(value, nnx.Variable):
                object.__setattr__(node, name, type(value)(value.get_raw_value()))
        return module

    return {"merge": merge}


@mutant("nnx", kills=[_ID + "overridden_methods_are_used"])
def items_go_round_overridden_methods(nnx):
    """`variable[...]` does not call `get_value`."""

    def item(self, index):
        return nnx.Variable.get_value(self, index=index)

    return _types(nnx, __getitem__=item)


@mutant("nnx", kills=[_ID + "an_overridden_set_value_is_used"])
def items_are_written_past_overridden_methods(nnx):
    """`variable[...] = value` does not call `set_value`."""

    def item(self, index, value):
        nnx.Variable.set_value(self, value, index=index)

    return _types(nnx, __setitem__=item)


@mutant("nnx", kills=[_ID + "hooks_of_an_initializer_run"])
def initializers_forget_a_hook(nnx):
    """`with_metadata` does not hand the hook on writing to the Variable."""

    def with_metadata(initializer, *args, **options):
        return nnx.with_metadata(initializer, *args, **{**options, "on_set_value": ()})

    return {"with_metadata": with_metadata}
