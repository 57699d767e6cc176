"""Flax NNX: `Rngs.split`, `Rngs.broadcast` and `split_rngs` give streams arrays of keys."""

from __future__ import annotations

import contextlib

import jax
import jax.numpy as jnp

from hypothesis_pytrees.nnx.stream_rules import selected_streams, shape_rules
from treelaws.equality import equal, same, true

from ._model import described, same_rows
from ._streams import (
    chosen,
    counts_of,
    how_many,
    keys_of,
    next_keys,
    not_chosen,
    shape_after,
    shapes_of,
)
from .rngs import law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/rnglib.py"
_RULES = shape_rules()
_SELECTED = selected_streams()


@law(
    "`rngs.split` gives each stream keys of the shape of the first filter that selects it, with a "
    "count for each key, and other streams keep their shape",
    source=f"{_API}#flax.nnx.Rngs.split",
    needs={"Rngs.split"},
    case=_RULES,
)
def split_gives_an_array_of_keys(lib, case):
    split = case.streams(case.tree.split(case.rule))
    equal(shapes_of(split), shape_after(case.wanted))
    zeros = [jnp.zeros(shape, jnp.uint32) for shape in chosen(case.wanted, case.wanted)]
    same(chosen(counts_of(split), case.wanted), zeros)


@law(
    "the keys that `rngs.split` gives to a stream are different",
    source=f"{_API}#flax.nnx.Rngs.split",
    needs={"Rngs.split"},
    case=_RULES,
)
def split_keys_are_different(lib, case):
    for keys in keys_of(case.streams(case.tree.split(case.rule))):
        true(how_many(keys.ravel()) == keys.size, how_many(keys.ravel()), f"{keys.size} keys")


@law(
    "the keys that `rngs.split` gives to a stream are `jax.random.split` of the next key of `rngs`",
    source=f"{_CODE}#L461",
    level="observed",
    needs={"Rngs.split"},
    case=_RULES,
)
def split_splits_the_next_key(lib, case):
    split = case.streams(case.tree.split(case.rule))
    other = chosen(case.streams(case.rebuild().tree), case.wanted)
    shapes = chosen(case.wanted, case.wanted)
    wanted = [jax.random.split(key, to) for key, to in zip(next_keys(other), shapes, strict=True)]
    same(chosen(keys_of(split), case.wanted), wanted)
    same(chosen(counts_of(case.streams(case.tree)), case.wanted), counts_of(other))


@law(
    "`rngs.split` does not change the next keys of streams that it does not split",
    source=f"{_API}#flax.nnx.Rngs.split",
    level="should",
    needs={"Rngs.split"},
    case=_RULES,
)
def split_leaves_other_streams_alone(lib, case):
    """A stream that restarts would repeat its keys."""
    wanted = next_keys(not_chosen(case.streams(lib.clone(case.tree)), case.wanted))
    split = case.streams(case.tree.split(case.rule))
    same(next_keys(not_chosen(split, case.wanted)), wanted)


@law(
    "`rngs.broadcast` gives each stream its next key as often as the first filter says that "
    "selects it, and other streams keep their key",
    source=f"{_API}#flax.nnx.Rngs.broadcast",
    needs={"Rngs.broadcast"},
    case=_RULES,
)
def broadcast_repeats_the_next_key(lib, case):
    broadcast = keys_of(case.streams(case.tree.broadcast(case.rule)))
    other = case.streams(case.rebuild().tree)
    shapes = chosen(case.wanted, case.wanted)
    keys = zip(next_keys(chosen(other, case.wanted)), shapes, strict=True)
    same(chosen(broadcast, case.wanted), [jnp.broadcast_to(key, shape) for key, shape in keys])
    same(not_chosen(broadcast, case.wanted), not_chosen(keys_of(other), case.wanted))


@law(
    "`stream.broadcast` returns a stream that holds its next key as often as it is told",
    source=_CODE,
    needs={"RngStream.broadcast"},
    case=_SELECTED,
)
def a_stream_broadcasts_its_next_key(lib, case):
    for own, other in _pairs(case):
        for shape in (case.shape, 3):
            key = jnp.broadcast_to(other(), shape)
            same(keys_of([own.broadcast(shape)]), [key])


@law(
    "`stream.split` returns a stream with `jax.random.split` of its next key, `stream.fork` one "
    "with its next key; both, and what `stream.broadcast` returns, have its tag and counts of 0",
    source=_CODE,
    level="observed",
    needs={"RngStream.split", "RngStream.broadcast"},
    case=_SELECTED,
)
def a_stream_splits_and_forks_its_next_key(lib, case):
    for own, other in _pairs(case):
        made = [own.split(case.shape), own.fork()]
        same(keys_of(made), [jax.random.split(other(), case.shape), other()])
        made.append(own.broadcast(case.shape))
        equal([one.tag for one in made], [own.tag] * 3)
        same(counts_of(made), [jnp.zeros(shape, jnp.uint32) for shape in shapes_of(made)])


def _pairs(case):
    """Return the streams of a tree with those of another one like it."""
    return zip(case.streams(case.tree), case.streams(case.rebuild().tree), strict=True)


@law(
    "`split_rngs` splits the streams that its filter selects into different keys, and no others",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs", "restore_rngs"},
    case=_SELECTED,
)
def split_rngs_splits_what_its_filter_selects(lib, case):
    before = keys_of(case.streams(case.tree))
    lib.split_rngs(case.tree, splits=case.shape, only=case.only)
    after = keys_of(case.streams(case.tree))
    for selected, old, new in zip(case.selected, before, after, strict=True):
        equal(new.shape, case.shape if selected else ())
        true(how_many(new.ravel()) == new.size, how_many(new.ravel()), f"{new.size} keys")
        same(new if not selected else old, old)


@law(
    "`restore_rngs` restores the keys that `split_rngs` replaced",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs", "restore_rngs"},
    case=_SELECTED,
)
def split_rngs_can_be_undone(lib, case):
    keys = keys_of(case.streams(case.tree))
    lib.restore_rngs(lib.split_rngs(case.tree, splits=case.shape, only=case.only))
    same(keys_of(case.streams(case.tree)), keys)


@law(
    "`split_rngs` as a context restores the keys at its end, also after an error",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs", "restore_rngs"},
    case=_SELECTED,
)
def split_rngs_ends_with_its_context(lib, case):
    keys, inside = keys_of(case.streams(case.tree)), []
    split = lib.split_rngs(case.tree, splits=case.shape, only=case.only)
    with contextlib.suppress(ZeroDivisionError), split:
        inside += shapes_of(case.streams(case.tree))
        raise ZeroDivisionError
    equal(inside, [case.shape if selected else () for selected in case.selected])
    same(keys_of(case.streams(case.tree)), keys)


@law(
    "a function decorated by `split_rngs` gets its arguments with the streams split, which have "
    "their own keys again when it has returned",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs", "restore_rngs"},
    case=_SELECTED,
)
def split_rngs_splits_arguments(lib, case):
    keys = keys_of(case.streams(case.tree))
    decorate = lib.split_rngs(splits=case.shape, only=case.only)
    shapes = decorate(lambda one, *, other: (shapes_of(case.streams(one)), other))
    wanted = [case.shape if selected else () for selected in case.selected]
    equal(shapes(case.tree, other=3), (wanted, 3))
    equal(decorate(lambda *, one: shapes_of(case.streams(one)))(one=case.tree), wanted)
    same(keys_of(case.streams(case.tree)), keys)


@law(
    "`split_rngs(tree, graph_updates=False)` returns a copy with the selected streams split",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs_gives_a_copy"},
    case=_SELECTED,
)
def split_rngs_without_updates_gives_a_copy(lib, case):
    back = lib.split_rngs(case.tree, splits=case.shape, only=case.only, **case.options)
    wanted = [case.shape if selected else () for selected in case.selected]
    equal(shapes_of(case.streams(back)), wanted)


@law(
    "`split_rngs(tree, graph_updates=False)` does not change the original",
    source=f"{_API}#flax.nnx.split_rngs",
    level="should",
    needs={"split_rngs_gives_a_copy"},
    case=_SELECTED,
)
def split_rngs_without_updates_is_pure(lib, case):
    """Also if the filter selects no stream."""
    before = described(case.tree)
    lib.split_rngs(case.tree, splits=case.shape, only=case.only, **case.options)
    same_rows(described(case.tree), before)
