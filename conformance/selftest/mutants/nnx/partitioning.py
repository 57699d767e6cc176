"""Mutants of the specs and shardings of Variables that name their axes."""

from __future__ import annotations

import contextlib

import jax.tree_util as jtu
from jax.sharding import NamedSharding, PartitionSpec

from selftest.mutant import mutant

_ID = "nnx.partitioning."


@mutant("nnx", kills=[_ID + "partition_specs_have_the_names"])
def the_last_axis_has_no_name(nnx):
    """`get_partition_spec` gives specs without the name of the last axis."""

    def get_partition_spec(tree):
        shortened = lambda spec: PartitionSpec(*tuple(spec)[:-1], None)
        return jtu.tree_map(shortened, nnx.get_partition_spec(tree), is_leaf=_is_spec)

    return {"get_partition_spec": get_partition_spec}


@mutant("nnx", kills=[_ID + "specs_without_names_are_empty"])
def only_names_have_specs(nnx):
    """`get_partition_spec` gives None for what is replicated."""

    def get_partition_spec(tree):
        shortened = lambda spec: spec if any(spec) else None
        return jtu.tree_map(shortened, nnx.get_partition_spec(tree), is_leaf=_is_spec)

    return {"get_partition_spec": get_partition_spec}


@mutant("nnx", kills=[_ID + "rules_rename_the_axes"])
def rules_have_no_effect(nnx):
    """`logical_axis_rules` leaves the names of the axes."""
    return {"logical_axis_rules": lambda rules: contextlib.nullcontext()}


@mutant("nnx", kills=[_ID + "named_shardings_are_on_the_mesh"])
def no_axis_is_sharded(nnx):
    """`get_named_sharding` gives shardings that replicate every Variable."""

    def get_named_sharding(tree, mesh):
        everywhere = lambda spec: NamedSharding(mesh, PartitionSpec())
        return jtu.tree_map(everywhere, nnx.get_partition_spec(tree), is_leaf=_is_spec)

    return {"get_named_sharding": get_named_sharding}


def _is_spec(node):
    return isinstance(node, PartitionSpec)
