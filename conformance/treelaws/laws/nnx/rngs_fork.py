"""Flax NNX: `Rngs.fork` and `fork_rngs` give streams new keys."""

from __future__ import annotations

import jax.numpy as jnp

from hypothesis_pytrees.nnx.stream_rules import selected_streams, shape_rules
from treelaws.equality import equal, same, true

from ._model import described, same_graph, same_rows
from ._streams import (
    counts_of,
    how_many,
    keys_of,
    next_keys,
    shape_after,
    shapes_of,
)
from .rngs import law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html"
# "filtering is order-dependent. The first Filter that matches a value will keep it", of all states.
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/filters_guide.html#grouping-states"
_RULES = shape_rules(nested=True)
_ROOTS = shape_rules()


@law(
    "`rngs.fork` returns streams of the same names whose keys no stream of `rngs` has",
    source=f"{_API}#flax.nnx.Rngs.fork",
    needs={"Rngs.fork"},
    case=_ROOTS,
)
def fork_gives_unique_keys(lib, case):
    forked = case.tree.fork()
    equal(sorted(forked), sorted(case.tree))
    keys = keys_of([*case.streams(case.tree), *case.streams(forked)])
    true(how_many(keys) == len(keys), how_many(keys), f"{len(keys)} different keys")


@law(
    "the keys of `rngs.fork()` are the next keys of `rngs`, with counts of zero",
    source=f"{_API}#flax.nnx.Rngs.fork",
    level="should",
    needs={"Rngs.fork"},
    case=_ROOTS,
)
def fork_gives_new_keys(lib, case):
    forked, other = case.tree.fork(), case.rebuild().tree
    same(keys_of(case.streams(forked)), next_keys(case.streams(other)))
    same(counts_of(case.streams(forked)), [jnp.uint32(0)] * len(case.wanted))
    same_graph(case.tree, other)


@law(
    "`fork_rngs` gives each stream below a tree that a filter of `split` selects keys of the shape "
    "of the first such filter, and no others",
    source=_GUIDE,
    level="should",
    needs={"fork_rngs"},
    case=_RULES,
)
def fork_rngs_follows_the_first_filter(lib, case):
    before = keys_of(case.streams(case.tree))
    lib.fork_rngs(case.tree, split=case.rule)
    streams, untouched = case.streams(case.tree), [one == "no filter" for one in case.wanted]
    equal(shapes_of(streams), shape_after(case.wanted))
    for same_key, old, new in zip(untouched, before, keys_of(streams), strict=True):
        true(how_many([old, *new.ravel()]) == (1 if same_key else 1 + new.size), new, "new keys")


@law(
    "`restore_rngs` restores the keys that `fork_rngs` replaced",
    source=f"{_API}#flax.nnx.fork_rngs",
    needs={"fork_rngs", "restore_rngs"},
    case=_RULES,
)
def fork_rngs_can_be_undone(lib, case):
    keys = keys_of(case.streams(case.tree))
    lib.restore_rngs(lib.fork_rngs(case.tree, split=case.rule))
    same(keys_of(case.streams(case.tree)), keys)


@law(
    "a stream that `fork_rngs` forked and `restore_rngs` restored gives no key a second time",
    source=f"{_API}#flax.nnx.fork_rngs",
    level="should",
    needs={"fork_rngs", "restore_rngs"},
    case=selected_streams(),
)
def restored_streams_repeat_no_key(lib, case):
    given = next_keys(case.streams(case.tree))
    backups = lib.fork_rngs(case.tree)
    given += next_keys(case.streams(case.tree))
    lib.restore_rngs(backups)
    given += next_keys(case.streams(case.tree))
    wanted = how_many(keys_of(case.streams(case.tree))) * 3
    true(how_many(given) == wanted, how_many(given), f"{wanted} different keys")


@law(
    "a function decorated by `fork_rngs` gets its arguments with forked streams, which have their "
    "own keys again when it has returned",
    source=f"{_API}#flax.nnx.fork_rngs",
    level="should",
    needs={"fork_rngs", "restore_rngs"},
    case=_RULES,
)
def fork_rngs_forks_arguments(lib, case):
    keys = keys_of(case.streams(case.tree))
    shapes = lib.fork_rngs(split=case.rule)(lambda one, *, other: (case.streams(one), other))
    decorated = lib.fork_rngs(split=case.rule)(lambda *, one: keys_of(case.streams(one)))
    inside = decorated(one=case.tree)
    equal([key.shape for key in inside], shape_after(case.wanted))
    same(keys_of(case.streams(case.tree)), keys)
    equal(shapes(case.tree, other=3)[1], 3)


@law(
    "`fork_rngs(tree, graph_updates=False)` returns a copy with the selected streams forked",
    source=f"{_API}#flax.nnx.fork_rngs",
    needs={"fork_rngs_gives_a_copy"},
    case=_RULES,
)
def fork_rngs_without_updates_gives_a_copy(lib, case):
    back = lib.fork_rngs(case.tree, split=case.rule, **case.options)
    equal(shapes_of(case.streams(back)), shape_after(case.wanted))


@law(
    "`fork_rngs(tree, graph_updates=False)` does not change the original",
    source=f"{_API}#flax.nnx.fork_rngs",
    level="should",
    needs={"fork_rngs_gives_a_copy"},
    case=selected_streams(),
)
def fork_rngs_without_updates_is_pure(lib, case):
    before = described(case.tree)
    lib.fork_rngs(case.tree, split={case.only: case.shape}, **case.options)
    same_rows(described(case.tree), before)
