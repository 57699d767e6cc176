"""Optax: masks, labels and frozen parameters."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.optax.masks import masks
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import DOCS, as_arrays, zeros

law = Topic("optax.masking", "Optax: masks, labels and frozen parameters", family="optax")
_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_COMBINE = f"{DOCS}combining_optimizers.html"
_FREEZE = f"{DOCS}transformations.html"


@law(
    "`masked` transforms the leaves whose mask is `True` and returns the others unchanged, even if "
    "the root of the mask is callable",
    source=f"{_WRAPPERS}#optax.masked",
    needs={"masked"},
    case=masks(),
)
def a_mask_says_which_leaves_are_transformed(lib, case):
    tx = lib.masked(lib.scale(-2.0), case.mask)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    wanted = jtu.tree_map(lambda on, leaf: leaf * -2.0 if on else leaf, case.full, case.grads)
    same(updates, wanted)


@law(
    "`masked` keeps inner state only for the leaves whose mask is `True`",
    source=f"{_WRAPPERS}#optax.masked",
    needs={"masked", "trace"},
    case=masks(),
    parents=(a_mask_says_which_leaves_are_transformed,),
)
def masked_state_is_that_of_the_chosen_leaves(lib, case):
    state = lib.masked(lib.trace(0.9), case.mask).init(case.params)
    chosen = zip(jtu.tree_leaves(case.full), jtu.tree_leaves(case.params), strict=True)
    same(jtu.tree_leaves(state), zeros([leaf for on, leaf in chosen if on]))


@law(
    "`tree_map_params` hands a node that `is_leaf` accepts to the function, such as the place of a "
    "parameter that is masked",
    source=f"{DOCS}utilities.html#optax.tree_utils.tree_map_params",
    needs={"tree_utils.tree_map_params", "masked", "trace"},
    level="should",
    case=masks(),
    parents=(masked_state_is_that_of_the_chosen_leaves,),
)
def masked_places_are_mapped_on_demand(lib, case):
    tx = lib.masked(lib.trace(0.9), case.mask)
    names, is_masked = jtu.tree_map(lambda _: object(), case.params), _is_place(lib.MaskedNode)
    mapped = lib.tree_utils.tree_map_params(
        tx, lambda _, name: name, tx.init(case.params), names, is_leaf=is_masked
    )
    same(jtu.tree_leaves(mapped), jtu.tree_leaves(names), identical=True)


@law(
    "`multi_transform` applies to each leaf the transformation of its label, even if the root of "
    "the labels is callable",
    source=f"{_COMBINE}#optax.multi_transform",
    needs={"multi_transform"},
    case=masks(),
)
def a_label_chooses_the_transformation(lib, case):
    tx = lib.multi_transform({True: lib.scale(-2.0), False: lib.set_to_zero()}, case.mask)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    wanted = jtu.tree_map(
        lambda on, leaf: leaf * -2.0 if on else zeros(leaf), case.full, case.grads
    )
    same(updates, wanted)


@law(
    "`add_decayed_weights` decays only the parameters whose mask is `True`",
    source=f"{_FREEZE}#optax.add_decayed_weights",
    needs={"add_decayed_weights"},
    case=masks(),
    parents=(a_mask_says_which_leaves_are_transformed,),
)
def a_mask_says_which_parameters_decay(lib, case):
    tx = lib.add_decayed_weights(0.5, case.mask)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    decayed = lambda on, leaf, param: leaf + 0.5 * param if on else leaf
    same(updates, jtu.tree_map(decayed, case.full, case.grads, case.params))


@law(
    "`freeze` gives zeros where its mask is `True`, and returns the other updates unchanged",
    source=f"{_FREEZE}#optax.freeze",
    needs={"freeze"},
    case=masks(functions=False, arrays=True),
)
def freeze_gives_zeros(lib, case):
    tx = lib.freeze(case.mask)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    wanted = jtu.tree_map(lambda on, leaf: zeros(leaf) if on else leaf, case.full, case.grads)
    same(updates, wanted)


@law(
    "`selective_transform` gives zeros where its mask is `True`, and transforms the other updates",
    source=f"{_FREEZE}#optax.selective_transform",
    needs={"selective_transform"},
    case=masks(functions=False, prefixes=False, arrays=True),
)
def selective_transform_transforms_the_rest(lib, case):
    tx = lib.selective_transform(lib.scale(-2.0), freeze_mask=case.mask)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    wanted = jtu.tree_map(
        lambda on, leaf: zeros(leaf) if on else leaf * -2.0, case.full, case.grads
    )
    same(updates, wanted)


@law(
    "parameters frozen by `set_to_zero` in `multi_transform` never change, whatever transforms the "
    "others",
    source=f"{_FREEZE}#optax.set_to_zero",
    needs={"multi_transform", "set_to_zero"},
    case=masks(functions=False, optimisers=True),
)
def frozen_parameters_stay(lib, case):
    inner = {"train": case.tx, "freeze": lib.set_to_zero()}
    labels = jtu.tree_map(lambda on: "train" if on else "freeze", case.full)
    tx = lib.multi_transform(inner, lambda _: labels)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    after = lib.apply_updates(case.params, updates)
    frozen = lambda tree: jtu.tree_map(lambda on, leaf: None if on else leaf, case.full, tree)
    same(as_arrays(frozen(after)), as_arrays(frozen(case.params)))


def _is_place(kind):
    return lambda node: isinstance(node, kind)
