"""Mutants of masks, labels and frozen parameters."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "optax.masking."


@mutant(
    "optax",
    kills=[
        _ID + "a_mask_says_which_leaves_are_transformed",
        _ID + "masked_state_is_that_of_the_chosen_leaves",
    ],
)
def a_mask_that_can_be_called_is_called(optax):
    """`masked` takes a tree whose root can be called for a function that gives the mask."""

    def masked(inner, mask, **options):
        given = (lambda tree: mask(tree)) if callable(mask) else mask
        return optax.masked(inner, given, **options)

    return {"masked": masked}


@mutant("optax", kills=[_ID + "masked_state_is_that_of_the_chosen_leaves"])
def masked_keeps_state_for_all(optax):
    """`masked` makes its inner state from every parameter."""

    def masked(inner, mask, **options):
        tx = optax.masked(inner, mask, **options)
        everything = optax.masked(inner, True, **options)
        return tx._replace(init=everything.init)

    return {"masked": masked}


@mutant("optax", kills=[_ID + "a_label_chooses_the_transformation"])
def the_first_label_is_for_all(optax):
    """`multi_transform` reads the label of the first leaf alone."""

    def multi_transform(transforms, param_labels, **options):
        def first(tree):
            labels = param_labels(tree) if callable(param_labels) else param_labels
            return (jtu.tree_leaves(labels) or [True])[0]

        return optax.multi_transform(transforms, first, **options)

    return {"multi_transform": multi_transform}


@mutant("optax", kills=[_ID + "a_mask_says_which_parameters_decay"])
def every_parameter_decays(optax):
    """`add_decayed_weights` ignores its mask."""

    def add_decayed_weights(weight_decay=0.0, mask=None):
        return optax.add_decayed_weights(weight_decay)

    return {"add_decayed_weights": add_decayed_weights}


@mutant("optax", kills=[_ID + "freeze_gives_zeros"])
def freeze_is_inverted(optax):
    """`freeze` gives zeros where the mask is False."""

    def freeze(mask):
        return optax.freeze(jax.tree.map(lambda frozen: not frozen, mask))

    return {"freeze": freeze}


@mutant("optax", kills=[_ID + "selective_transform_transforms_the_rest"])
def frozen_updates_are_passed(optax):
    """`selective_transform` passes the updates of frozen leaves instead of giving zeros."""

    def selective_transform(optimizer, *, freeze_mask):
        return optax.masked(optimizer, jax.tree.map(lambda frozen: not frozen, freeze_mask))

    return {"selective_transform": selective_transform}


@mutant("optax", kills=[_ID + "frozen_parameters_stay"])
def decay_reaches_frozen_parameters(optax):
    """`multi_transform` adds the decay of one label's optimiser to every parameter."""

    def multi_transform(transforms, param_labels, **options):
        tx = optax.multi_transform(transforms, param_labels, **options)
        return optax.chain(tx, optax.add_decayed_weights(0.5))

    return {"multi_transform": multi_transform}
