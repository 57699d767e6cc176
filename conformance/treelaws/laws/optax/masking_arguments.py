"""Optax: what wrappers with masks and labels hand on beside the updates."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.optax.masks import masks
from hypothesis_pytrees.optax.rules.formulas import steps_with_choices
from treelaws.equality import equal, same

from ._inputs import DOCS
from .masking import (
    a_label_chooses_the_transformation,
    a_mask_says_which_leaves_are_transformed,
    law,
)

_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_COMBINE = f"{DOCS}combining_optimizers.html"
_NEEDS = {"masked", "multi_transform", "stateless", "GradientTransformationExtraArgs"}


@law(
    "with `mask_compatible_extra_args=True`, `masked` masks extra arguments that are like the "
    "updates in structure, and hands others on as they are",
    source=f"{_WRAPPERS}#optax.masked",
    needs=_NEEDS,
    case=masks(),
    parents=(a_mask_says_which_leaves_are_transformed,),
)
def masks_apply_to_arguments_on_demand(lib, case):
    seen = []
    tx = lib.masked(_adding(lib, seen), case.mask, mask_compatible_extra_args=True)
    state, others = tx.init(case.params), {"as it is": 1.0, "too": (2.0, None)}
    updates, _ = tx.update(case.grads, state, case.params, more=case.params, others=others)
    added = lambda on, leaf, more: leaf + more if on else leaf
    same(updates, jtu.tree_map(added, case.full, case.grads, case.params))
    same(seen, [others])


@law(
    "with `mask_compatible_extra_args=True`, `multi_transform` gives each transformation the part "
    "of an extra argument with its label",
    source=f"{_COMBINE}#optax.partition",
    needs=_NEEDS,
    case=masks(),
    parents=(a_label_chooses_the_transformation,),
)
def labels_apply_to_arguments_on_demand(lib, case):
    inner = {True: _adding(lib, []), False: _adding(lib, [], -1)}
    tx = lib.multi_transform(inner, case.mask, mask_compatible_extra_args=True)
    state = tx.init(case.params)
    updates, _ = tx.update(case.grads, state, more=case.params, others=())
    sign = lambda on, leaf, more: leaf + more if on else leaf - more
    same(updates, jtu.tree_map(sign, case.full, case.grads, case.params))


@law(
    "without `mask_compatible_extra_args`, `masked` and `multi_transform` hand the whole of each "
    "extra argument on",
    source=f"{_WRAPPERS}#optax.masked",
    level="should",
    needs=_NEEDS,
    case=masks(),
    parents=(a_label_chooses_the_transformation, a_mask_says_which_leaves_are_transformed),
)
def arguments_are_whole_by_default(lib, case):
    seen = []
    inner = _noting(lib, seen)
    both = lib.multi_transform({True: inner, False: inner}, case.mask)
    for tx in (lib.masked(inner, case.mask), both):
        tx.update(case.grads, tx.init(case.params), more=case.params)
    same(seen, [case.params] * 3)


@law(
    "`masked`, `multi_transform` and `selective_transform` take no parameters where the inner "
    "transformation needs none, and hand `None` on",
    source=f"{DOCS}transformations.html#optax.GradientTransformation",
    level="should",
    needs=_NEEDS | {"selective_transform"},
    case=masks(functions=False, prefixes=False),
)
def parameters_may_be_left_out(lib, case):
    seen = []
    inner = lib.stateless(lambda updates, params: (seen.append(params), updates)[1])
    for tx in (
        lib.masked(inner, case.mask),
        lib.multi_transform({True: inner, False: inner}, lambda _: case.full),
        lib.selective_transform(inner, freeze_mask=jtu.tree_map(lambda _: False, case.mask)),
    ):
        updates, _ = tx.update(case.grads, tx.init(case.params))
        same(updates, case.grads)
    equal({id(one) for one in seen}, {id(None)})


@law(
    "a mask or labels that are a function are what it returns for the parameters at `init` and for "
    "the updates at `update`",
    source=f"{_WRAPPERS}#optax.masked",
    needs=_NEEDS | {"add_decayed_weights", "trace"},
    case=steps_with_choices(),
)
def functions_of_the_tree_choose(lib, case):
    full = jtu.tree_map(case.choose, case.params)
    held = lambda on, leaf: leaf * 2.0 if on else leaf
    choose = lambda tree: jtu.tree_map(case.choose, tree)
    both = {True: lib.scale(2.0), False: lib.identity()}
    traced = lib.chain(lib.masked(lib.trace(0.5), choose), lib.masked(lib.scale(2.0), choose))
    for tx in (lib.masked(both[True], choose), lib.multi_transform(both, choose), traced):
        updates, _ = tx.update(case.grads[0], tx.init(case.params), case.params)
        same(updates, jtu.tree_map(held, full, case.grads[0]))


def _adding(lib, seen, sign=1):
    """Return a transformation that adds the argument `more` to the updates, and notes `others`."""

    def update(updates, state, params=None, *, more, others):
        seen.append(others)
        return jtu.tree_map(lambda leaf, one: leaf + sign * one, updates, more), state

    return lib.GradientTransformationExtraArgs(lambda params: (), update)


def _noting(lib, seen):
    def update(updates, state, params=None, *, more):
        seen.append(more)
        return updates, state

    return lib.GradientTransformationExtraArgs(lambda params: (), update)
