"""Mutants of the lifted transforms and the boxes of Flax Linen."""

from __future__ import annotations

import math

import jax.numpy as jnp

from selftest.mutant import mutant

_ID = "flax.linen."


@mutant("flax", kills=[_ID + "vmap_computes_what_each_index_computes"])
def results_are_stacked_along_the_first_axis(flax):
    """`nn.vmap` ignores `out_axes`."""
    first = {"out_axes": 0}
    return {"linen.vmap": lambda target, **options: flax.linen.vmap(target, **options | first)}


@mutant("flax", kills=[_ID + "scan_computes_what_calls_in_order_compute"])
def scans_go_forwards_alone(flax):
    """`nn.scan` ignores `reverse`."""
    forwards = {"reverse": False}
    return {"linen.scan": lambda target, **options: flax.linen.scan(target, **options | forwards)}


@mutant("flax", kills=[_ID + "lifted_variables_get_an_axis"])
def new_axes_have_no_name(flax):
    """`nn.scan` ignores the name of the new axis."""

    def scan(target, *, metadata_params=None, **options):
        nameless = {flax.linen.PARTITION_NAME: None}
        return flax.linen.scan(target, metadata_params=nameless, **options)

    return {"linen.scan": scan}


@mutant("flax", kills=[_ID + "unsplit_variables_are_the_same_for_each_index"])
def vmap_splits_all_streams(flax):
    """`nn.vmap` splits each stream, whatever `split_rngs` says."""
    split = {"split_rngs": {True: True}}
    return {"linen.vmap": lambda target, **options: flax.linen.vmap(target, **options | split)}


@mutant("flax", kills=[_ID + "while_loop_is_a_loop_of_python"])
def loops_begin_with_the_body(flax):
    """`nn.while_loop` asks the condition after the first iteration only."""

    def while_loop(condition, body, module, init, **options):
        return flax.linen.while_loop(condition, body, module, body(module, init), **options)

    return {"linen.while_loop": while_loop}


@mutant("flax", kills=[_ID + "the_chosen_branch_is_called"])
def indices_count_from_the_end(flax):
    """`nn.switch` takes an index that is out of range as a remainder."""

    def switch(index, branches, *args, **options):
        return flax.linen.switch(index % len(branches), branches, *args, **options)

    return {"linen.switch": switch}


@mutant("flax", kills=[_ID + "remat_scan_repeats_a_module"])
def only_the_first_length_counts(flax):
    """`nn.remat_scan` takes the first of the lengths alone."""

    def remat_scan(target, *, lengths, **options):
        return flax.linen.remat_scan(target, lengths=lengths[:1], **options)

    return {"linen.remat_scan": remat_scan}


@mutant("flax", kills=[_ID + "wrapped_modules_compute_the_same"])
def mapped_variables_cannot_change(flax):
    """`nn.map_variables` ignores `mutable`."""

    def map_variables(target, *, mutable=False, **options):
        return flax.linen.map_variables(target, **options)

    return {"linen.map_variables": map_variables}


@mutant("flax", kills=[_ID + "split_streams_differ_for_each_index"])
def iterations_share_all_streams(flax):
    """`nn.while_loop` splits no stream."""

    def while_loop(*args, split_rngs, **options):
        shared = dict.fromkeys(split_rngs, False)
        return flax.linen.while_loop(*args, split_rngs=shared, **options)

    return {"linen.while_loop": while_loop}


@mutant("flax", kills=[_ID + "boxed_layers_compute_the_same"])
def boxed_weights_are_not_normalised(flax):
    """`nn.WeightNorm` leaves out parameters whose path has other entries than keys."""
    real = flax.linen.WeightNorm

    class WeightNorm(real):
        def _l2_normalize(self, path, vs):
            is_boxed = any(not hasattr(entry, "key") for entry in path)
            return vs if is_boxed else super()._l2_normalize(path, vs)

    return {"linen.WeightNorm": WeightNorm}


@mutant("flax", kills=[_ID + "boxed_layers_have_the_same_variables"])
def boxes_hold_half_precision(flax):
    """`nn.with_logical_partitioning` rounds the initial value to half precision."""

    def with_logical_partitioning(make, *args, **options):
        rounded = lambda *given, **kept: jnp.asarray(make(*given, **kept), jnp.bfloat16)
        return flax.linen.with_logical_partitioning(rounded, *args, **options)

    return {"linen.with_logical_partitioning": with_logical_partitioning}


@mutant("flax", kills=[_ID + "lifted_derivatives_are_those_of_apply"])
def variables_have_no_tangents(flax):
    """`nn.jvp` ignores the tangents of variables."""

    def jvp(function, module, primals, tangents, variable_tangents, **options):
        return flax.linen.jvp(function, module, primals, tangents, {}, **options)

    return {"linen.jvp": jvp}


@mutant("flax", kills=[_ID + "remat_scan_stacks_variables"])
def inner_loops_share_variables(flax):
    """`nn.remat_scan` stacks the variables of the outer loop alone."""

    def remat_scan(target, *, lengths, **options):
        if any(name in options for name in ("variable_carry", "variable_broadcast")):
            return flax.linen.remat_scan(target, lengths=lengths, **options)
        count = (math.prod(lengths),)
        return flax.linen.remat_scan(target, lengths=count, **options)

    return {"linen.remat_scan": remat_scan}


@mutant("flax", kills=[_ID + "boxes_get_the_name_of_an_axis"])
def names_of_axes_come_first(flax):
    """`nn.add_metadata_axis` puts the name of each axis first."""

    def add_metadata_axis(target, *, variable_axes, **options):
        axes = {key: axis and 0 for key, axis in variable_axes.items()}
        return flax.linen.add_metadata_axis(target, variable_axes=axes, **options)

    return {"linen.add_metadata_axis": add_metadata_axis}


@mutant("flax", kills=[_ID + "loops_read_what_the_call_may_not_change"])
def loops_are_shorter_by_one(flax):
    """`nn.remat_scan` repeats a module one time less."""

    def remat_scan(target, *, lengths, **options):
        *outer, last = lengths
        return flax.linen.remat_scan(target, lengths=(*outer, last - 1), **options)

    return {"linen.remat_scan": remat_scan}
