"""Flax NNX: `with_rngs` returns a copy of a tree with streams split, broadcast or forked."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from hypothesis_pytrees.nnx.stream_rules import rules_and_forks, selected_streams, shape_rules
from treelaws.equality import equal, refuses, same

from ._streams import (
    chosen,
    counts_of,
    keys_of,
    next_keys,
    not_chosen,
    shape_after,
    shapes_of,
)
from .rngs import law

_SOURCE = (
    "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html#flax.nnx.with_rngs"
)
_RULES = shape_rules(nested=True, unchanged=False)
# "A Filter selecting which streams to process" is asked about streams, not about their Variables.
_SELECTED = selected_streams().filter(lambda recipe: "only:variables" not in recipe.features)


@law(
    "`with_rngs(tree, split=...)` gives each stream keys of the shape of the first filter that "
    "selects it; a stream that none selects is returned unchanged",
    source=_SOURCE,
    needs={"with_rngs"},
    case=_RULES,
)
def with_rngs_splits_by_the_first_filter(lib, case):
    before = case.streams(case.rebuild().tree)
    split = case.streams(lib.with_rngs(case.tree, split=case.rule, **case.options))
    equal(shapes_of(split), shape_after(case.wanted))
    for of in (keys_of, counts_of):
        same(not_chosen(of(split), case.wanted), not_chosen(of(before), case.wanted))
    keys = zip(
        next_keys(chosen(before, case.wanted)), chosen(case.wanted, case.wanted), strict=True
    )
    same(chosen(keys_of(split), case.wanted), [jax.random.split(key, shape) for key, shape in keys])


@law(
    "`with_rngs(tree, broadcast=...)` repeats the next key of each stream in the shape of the "
    "first filter that selects it; a stream that none selects is returned unchanged",
    source=_SOURCE,
    needs={"with_rngs"},
    case=_RULES,
)
def with_rngs_broadcasts_by_the_first_filter(lib, case):
    before = case.streams(case.rebuild().tree)
    broadcast = case.streams(lib.with_rngs(case.tree, broadcast=case.rule, **case.options))
    for of in (keys_of, counts_of):
        same(not_chosen(of(broadcast), case.wanted), not_chosen(of(before), case.wanted))
    keys = zip(
        next_keys(chosen(before, case.wanted)), chosen(case.wanted, case.wanted), strict=True
    )
    wanted = [jnp.broadcast_to(key, shape) for key, shape in keys]
    same(chosen(keys_of(broadcast), case.wanted), wanted)


@law(
    "`with_rngs(tree, fork=filter)` gives each selected stream its next key and a count of zero; "
    "other streams are returned unchanged",
    source=_SOURCE,
    needs={"with_rngs"},
    case=_SELECTED,
)
def with_rngs_forks_what_its_filter_selects(lib, case):
    before = case.streams(case.rebuild().tree)
    forked = case.streams(lib.with_rngs(case.tree, fork=case.only, **case.options))
    for selected, old, new in zip(case.selected, before, forked, strict=True):
        key, count = (old(), jnp.uint32(0)) if selected else (*keys_of([old]), *counts_of([old]))
        same([*keys_of([new]), *counts_of([new])], [key, count])


@law(
    "`with_rngs(tree, only=filter)` returns the streams that the filter does not select unchanged",
    source=_SOURCE,
    needs={"with_rngs"},
    case=_SELECTED,
)
def with_rngs_takes_only_what_is_selected(lib, case):
    options = {"only": case.only, **case.options}
    for action in ({"split": case.shape}, {"broadcast": case.shape}):
        back = shapes_of(case.streams(lib.with_rngs(case.tree, **action, **options)))
        equal(back, [case.shape if selected else () for selected in case.selected])
    before = keys_of(case.streams(case.tree))
    forked = keys_of(case.streams(lib.with_rngs(case.tree, fork=..., **options)))
    for selected, old, new in zip(case.selected, before, forked, strict=True):
        equal(bool(old == new), not selected)


@law(
    "`with_rngs` forks the streams that `fork` selects and `split` does not",
    source=_SOURCE,
    needs={"with_rngs"},
    case=_RULES,
)
def with_rngs_forks_the_rest(lib, case):
    before = keys_of(case.streams(case.tree))
    made = lib.with_rngs(case.tree, split=case.rule, fork=..., **case.options)
    after = keys_of(case.streams(made))
    equal([key.shape for key in after], shape_after(case.wanted))
    for old, new in zip(before, after, strict=True):
        equal(bool((old == new).any()), False)


@law(
    "`with_rngs` raises ValueError for a stream that `split` and `broadcast` select by a filter of "
    "their own",
    source=_SOURCE,
    level="observed",
    needs={"with_rngs"},
    case=_SELECTED.filter(lambda recipe: "streams:selected-by-own-filter" in recipe.features),
)
def with_rngs_refuses_two_rules_for_a_stream(lib, case):
    rules = {"split": {case.only: 2}, "broadcast": {case.only: 3}}
    refuses(ValueError, lambda: lib.with_rngs(case.tree, **rules, **case.options))


@law(
    "`with_rngs` splits what `split` selects, and forks what `fork` selects of the other streams",
    source=_SOURCE,
    needs={"with_rngs"},
    case=rules_and_forks(),
    parents=[with_rngs_forks_the_rest],
)
def with_rngs_forks_what_is_not_split(lib, case):
    """Quote: "which streams not already handled by ``split`` should be forked"."""
    before = case.streams(case.rebuild().tree)
    rules = {"split": case.rule, "fork": case.fork, **case.options}
    made = case.streams(lib.with_rngs(case.tree, **rules))
    equal(shapes_of(made), shape_after(case.wanted))
    for old, new, shape, forked in zip(before, made, case.wanted, case.forked, strict=True):
        if shape == "no filter":
            same(keys_of([new]), [old() if forked else keys_of([old])[0]])


@law(
    "a function decorated by `with_rngs` gets its arguments as `with_rngs` returns them",
    source=_SOURCE,
    needs={"with_rngs"},
    case=_RULES,
)
def with_rngs_decorates_a_function(lib, case):
    decorate = lib.with_rngs(split=case.rule, **case.options)
    shapes = decorate(lambda one, *, other: (shapes_of(case.streams(one)), other))
    equal(shapes(case.tree, other=3), (shape_after(case.wanted), 3))
    by_name = decorate(lambda *, one: shapes_of(case.streams(one)))
    equal(by_name(one=case.tree), shape_after(case.wanted))
