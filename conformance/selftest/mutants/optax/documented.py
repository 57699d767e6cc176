"""Mutants of labels, documented values and units."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant


@mutant("optax", kills=["optax.masking.labels_are_of_any_hashable_type"])
def labels_are_texts(optax):
    """`multi_transform` takes the text of each label for the label."""

    def multi_transform(transforms, labels, **options):
        if not callable(labels) and any(isinstance(one, int) for one in transforms):
            texts = {f"{label:d}": tx for label, tx in transforms.items()}
            return optax.multi_transform(texts, jtu.tree_map(str, labels), **options)
        return optax.multi_transform(transforms, labels, **options)

    return {"multi_transform": multi_transform}


@mutant("optax", kills=["optax.masking.functions_of_the_parameters_are_no_obstacle_to_maps"])
def maps_leave_out_one_copy(optax):
    """`tree_map_params` maps no parameter where it is told what a leaf is."""

    def tree_map_params(tx, function, state, *rest, **options):
        if "is_leaf" in options:
            return state
        return optax.tree_utils.tree_map_params(tx, function, state, *rest, **options)

    return {"tree_utils.tree_map_params": tree_map_params}


@mutant("optax", kills=["optax.documented.documented_values_are_taken"])
def linear_is_unknown(optax):
    """`piecewise_interpolate_schedule` refuses linear interpolation."""

    def schedule(interpolate_type, *rest):
        if interpolate_type == "linear":
            raise ValueError(interpolate_type)
        return optax.piecewise_interpolate_schedule(interpolate_type, *rest)

    return {"piecewise_interpolate_schedule": schedule}


@mutant("optax", kills=["optax.documented.rows_of_coefficients_are_the_steps"])
def steps_scale_the_updates(optax):
    """`scale_by_muon` divides its updates by the number of steps."""

    def scale_by_muon(*args, ns_steps=5, **options):
        tx = optax.contrib.scale_by_muon(*args, ns_steps=ns_steps, **options)
        return optax.chain(tx, optax.scale(1 / ns_steps))

    return {"contrib.scale_by_muon": scale_by_muon}


@mutant("optax", kills=["optax.clipping.units_are_those_of_the_rank"])
def units_are_whole_arrays(optax):
    """`unitwise_norm` takes each array for one unit."""

    def unitwise_norm(x, axis=None):
        return jnp.broadcast_to(jnp.sqrt(jnp.sum(x**2, axis=axis, keepdims=True)), x.shape)

    return {"transforms.unitwise_norm": unitwise_norm}


@mutant("optax", kills=["optax.documented.axes_may_be_a_tree_or_a_function"])
def trees_of_axes_are_ignored(optax):
    """`galore` forms matrices of the axes that a function gives alone."""

    def galore(learning_rate, *, weight_dimension_numbers=None, **options):
        axes = weight_dimension_numbers if callable(weight_dimension_numbers) else None
        make = optax.contrib.galore
        return make(learning_rate, weight_dimension_numbers=axes, **options)

    return {"contrib.galore": galore}
