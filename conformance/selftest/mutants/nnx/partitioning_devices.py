"""Mutants of what NNX does with modules on several devices."""

from __future__ import annotations

import jax

from selftest.mutant import mutant

_PARTITIONING = "nnx.partitioning"
_FIRST = jax.sharding.PartitionSpec()


@mutant("nnx", kills=[f"{_PARTITIONING}.variables_go_where_their_names_say"])
def named_shardings_forget_the_names(nnx):
    """`get_named_sharding` gives each Variable to every device whole."""

    def whole(sharding):
        return jax.sharding.NamedSharding(sharding.mesh, _FIRST)

    def get_named_sharding(tree, mesh):
        return jax.tree_util.tree_map(whole, nnx.get_named_sharding(tree, mesh))

    return {"get_named_sharding": get_named_sharding}


@mutant("nnx", kills=[f"{_PARTITIONING}.variables_are_made_where_their_names_say"])
def variables_are_made_on_one_device(nnx):
    """A parameter ignores its mesh."""
    return {"Param": lambda value, mesh=None, **names: nnx.Param(value)}


@mutant("nnx", kills=[f"{_PARTITIONING}.copies_stay_on_the_devices"])
def clones_are_on_the_first_device(nnx):
    """`clone` puts the copy on the first device."""

    def clone(module):
        copy = nnx.clone(module)
        nnx.update(copy, jax.device_put(nnx.state(copy), jax.devices()[0]))
        return copy

    return {"clone": clone}


@mutant(
    "nnx",
    kills=[
        f"{_PARTITIONING}.compiled_functions_take_state_shardings",
        f"{_PARTITIONING}.parts_of_a_module_are_mapped",
    ],
)
def state_shardings_take_the_first_place(nnx):
    """`StateSharding` gives all Variables the place of the first filter."""

    def sharding(filters):
        return nnx.StateSharding({...: next(iter(filters.values()))})

    return {"StateSharding": sharding}


@mutant("nnx", kills=[f"{_PARTITIONING}.each_way_runs_the_program_on_devices"])
def transforms_lose_the_effect_on_devices(nnx):
    """A transform of a module on several devices gives the result and no effect."""

    def without_effect(name):
        def transform(program, *args, **options):
            def changed(module, *rest):
                return program(nnx.clone(module), *rest)

            return getattr(nnx, name)(changed, *args, **options)

        return transform

    return {name: without_effect(name) for name in ("jit", "remat", "cond", "grad")}


@mutant("nnx", kills=[f"{_PARTITIONING}.abstract_variables_have_their_shardings"])
def abstract_variables_are_whole(nnx):
    """`as_abstract` gives every Variable to each device whole."""
    if not hasattr(nnx, "as_abstract"):
        return {}

    def whole(leaf):
        mesh = jax.sharding.get_abstract_mesh()
        place = jax.sharding.NamedSharding(mesh, _FIRST)
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=place)

    return {"as_abstract": lambda tree: jax.tree_util.tree_map(whole, nnx.as_abstract(tree))}
