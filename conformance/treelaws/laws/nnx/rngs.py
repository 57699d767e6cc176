"""Flax NNX: `Rngs`, named streams of random keys."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from hypothesis_pytrees.nnx.rngs import random_streams
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import refuses, same, true

from ._model import apart, same_graph, variables_of

law = Topic("nnx.rngs", "Flax NNX: Rngs", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/randomness.html"
_STREAMS = f"{_GUIDE}#rngs-rngstream-and-rngstate"
_DEFAULT = f"{_GUIDE}#default-prng-key-stream"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html"
_CASES = random_streams()


@law(
    "a call gives fold_in of the key and the count of its stream, and counts one on",
    source=_STREAMS,
    needs={"Rngs"},
    case=_CASES,
    weight=0.4,
)
def a_call_folds_the_count_into_the_key(lib, case):
    for name in case.calls:
        stream = case.rngs[name]
        key, count = map(nnx_api.value, (stream.key, stream.count))
        same(getattr(case.rngs, name)(), jax.random.fold_in(key, count))
        same([nnx_api.value(stream.key), nnx_api.value(stream.count)], [key, count + 1])


@law(
    "a call changes no other stream",
    source=_STREAMS,
    needs={"Rngs"},
    case=_CASES,
    weight=0.4,
)
def a_call_changes_its_own_stream_alone(lib, case):
    for name in case.calls:
        others = [other for other in case.names if case.rngs[other] is not case.rngs[name]]
        before = [nnx_api.value(case.rngs[other].count) for other in others]
        case.rngs[name]()
        same([nnx_api.value(case.rngs[other].count) for other in others], before)


@law(
    "Rngs of one configuration give the same keys in the same order",
    source=_STREAMS,
    needs={"Rngs"},
    case=_CASES,
    weight=0.4,
)
def equal_seeds_give_equal_keys(lib, case):
    same(_keys(case.rngs, case.calls), _keys(case.rebuild().rngs, case.calls))


@law(
    "no two calls give the same key",
    source=f"{_API}#flax.nnx.Rngs",
    needs={"Rngs"},
    case=random_streams(most=6),
    weight=0.3,
)
def no_key_comes_twice(lib, case):
    """Streams have seeds of their own."""
    keys = [jax.random.key_data(key).tobytes() for key in _keys(case.rngs, case.calls)]
    true(len(set(keys)) == len(keys), len(set(keys)), f"{len(keys)} different keys")


@law(
    "a stream that is not there is the default stream, or an error where there is none",
    source=_DEFAULT,
    needs={"Rngs"},
    case=_CASES,
    weight=0.3,
)
def the_default_stands_in(lib, case):
    if "default" in case.names:
        same(_keys(case.rngs, ["unknown"]), [case.rebuild().rngs.default()])
        same(case.rngs(), _keys(case.rebuild().rngs, ["default"] * 2)[1])
    else:
        refuses(AttributeError, lambda: case.rngs.unknown)
        refuses(KeyError, lambda: case.rngs["unknown"])


@law(
    "Rngs are a mapping of the names of their streams",
    source=_STREAMS,
    level="should",
    needs={"Rngs"},
    case=_CASES,
    weight=0.3,
)
def rngs_hold_their_streams(lib, case):
    true(sorted(case.rngs) == case.names, sorted(case.rngs), f"{case.names}")
    true(len(case.rngs) == len(case.names), len(case.rngs), f"{len(case.names)}")
    held = {name: stream is case.rngs[name] for name, stream in case.rngs.items()}
    true(held == dict.fromkeys(case.names, True), held, "each stream under its name")
    true("unknown" not in case.rngs, "unknown" in case.rngs, "False")


@law(
    "the tag of the Variables of a stream is its name",
    source=_STREAMS,
    needs={"Rngs"},
    case=_CASES,
    weight=0.3,
)
def variables_are_tagged_with_the_stream(lib, case):
    tags = {path[0]: one.tag for path, one in variables_of(case.rngs)}
    true(tags == {name: name for name in case.names}, tags, f"{case.names}")


@law(
    "a copy of Rngs goes on as the original does, and shares nothing with it",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.clone",
    needs={"clone"},
    case=_CASES,
    weight=0.3,
)
def a_copy_goes_on_as_the_original(lib, case):
    _keys(case.rngs, case.calls)
    copies = [lib.clone(case.rngs), lib.merge(*lib.split(lib.clone(case.rngs)))]
    apart(copies[0], case.rngs)
    wanted = _keys(case.rngs, case.calls)
    for copy in copies:
        same(_keys(copy, case.calls), wanted)
        same_graph(copy, case.rngs)


@law(
    "a shorthand method gives what the function of jax.random gives with the next key",
    source=f"{_GUIDE}#jax-random-shorthand-methods",
    needs={"Rngs.normal"},
    case=_CASES,
    weight=0.3,
)
def shorthand_methods_take_the_next_key(lib, case):
    other = case.rebuild().rngs
    for name in case.calls:
        same(case.rngs[name].normal((2,)), jax.random.normal(other[name](), (2,)))
        same(case.rngs[name].uniform(()), jax.random.uniform(other[name](), ()))
    same_graph(case.rngs, other)


@law(
    "fork gives streams of the same names with new keys, and counts the original on",
    source=f"{_API}#flax.nnx.Rngs.fork",
    needs={"Rngs.fork"},
    case=_CASES,
    weight=0.3,
)
def fork_gives_new_keys(lib, case):
    forked, other = case.rngs.fork(), case.rebuild().rngs
    next_keys = _keys(other, case.names)
    same([nnx_api.value(forked[name].key) for name in case.names], next_keys)
    counts = [nnx_api.value(forked[name].count) for name in case.names]
    same(counts, [jnp.uint32(0)] * len(counts))
    same_graph(case.rngs, other)


@law(
    "split gives each stream as many keys as it is told, with a count for each",
    source=f"{_API}#flax.nnx.Rngs.split",
    needs={"Rngs.split"},
    case=_CASES,
    weight=0.3,
)
def split_gives_an_array_of_keys(lib, case):
    chosen, rest = case.names[0], case.names[1:]
    split = case.rngs.split({chosen: (2, 3), ...: None})
    true(sorted(split) == case.names, sorted(split), f"{case.names}")
    same([nnx_api.value(split[chosen].count)], [jnp.zeros((2, 3), jnp.uint32)])
    shapes = [nnx_api.value(split[name].key).shape for name in (chosen, *rest)]
    true(shapes == [(2, 3)] + [()] * len(rest), shapes, "(2, 3) for the first, () for the rest")


@law(
    "a stream that split is told not to split goes on where it is",
    source=f"{_API}#flax.nnx.Rngs.split",
    level="should",
    needs={"Rngs.split"},
    case=_CASES,
    weight=0.3,
)
def split_leaves_other_streams_alone(lib, case):
    """A stream that began anew would give keys again that it has given already."""
    wanted = _keys(lib.clone(case.rngs), case.names)
    split = case.rngs.split({"unknown": 2, ...: None})
    same(_keys(split, case.names), wanted)


@law(
    "reseed sets the key of a stream by its seed alone, resets its count, and changes no other",
    source=f"{_GUIDE}#reseeding",
    needs={"reseed"},
    case=_CASES,
    weight=0.3,
)
def reseed_begins_anew(lib, case):
    chosen, rest = case.names[0], case.names[1:]
    lib.reseed(case.rngs, **{chosen: 42})
    wanted = [nnx_api.value(case.rngs[chosen].key), _keys(case.rngs, [chosen] * 2)]
    _keys(case.rngs, case.calls)
    before = [nnx_api.value(case.rngs[name].count) for name in rest]
    lib.reseed(case.rngs, **{chosen: 42})
    same([nnx_api.value(case.rngs[name].count) for name in rest], before)
    same(nnx_api.value(case.rngs[chosen].count), jnp.uint32(0))
    same([nnx_api.value(case.rngs[chosen].key), _keys(case.rngs, [chosen] * 2)], wanted)


@law(
    "split_rngs splits the streams that its filter selects, and restore_rngs brings them back",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs", "restore_rngs"},
    case=_CASES,
    weight=0.3,
)
def split_rngs_can_be_undone(lib, case):
    chosen, rest = case.names[0], case.names[1:]
    keys = [nnx_api.value(case.rngs[name].key) for name in case.names]
    backups = lib.split_rngs(case.rngs, splits=3, only=chosen)
    shapes = [nnx_api.value(case.rngs[name].key).shape for name in (chosen, *rest)]
    true(shapes == [(3,)] + [()] * len(rest), shapes, "(3,) for the stream that is selected")
    lib.restore_rngs(backups)
    same([nnx_api.value(case.rngs[name].key) for name in case.names], keys)


@law(
    "split_rngs without graph updates gives a copy in which the selected streams are split",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs_gives_a_copy"},
    case=_CASES,
    weight=0.3,
)
def split_rngs_without_updates_gives_a_copy(lib, case):
    back = lib.split_rngs(case.rngs, splits=3, only=case.calls[0], graph_updates=False)
    shapes = [nnx_api.value(back[name].key).shape for name in case.names]
    wanted = [(3,) if name == case.calls[0] else () for name in case.names]
    true(shapes == wanted, shapes, f"{wanted}")


@law(
    "split_rngs without graph updates leaves the original unmodified",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs_gives_a_copy"},
    case=random_streams(absent=True),
    weight=0.3,
)
def split_rngs_without_updates_is_pure(lib, case):
    """Also where the filter selects no stream."""
    lib.split_rngs(case.rngs, splits=3, only=case.calls[0], graph_updates=False)
    same_graph(case.rngs, case.rebuild().rngs)


def _keys(rngs, names):
    return [getattr(rngs, name)() for name in names]
