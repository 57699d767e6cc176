"""Flax NNX: `Rngs`, named streams of random keys."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from hypothesis_pytrees.nnx.rngs import random_streams
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true

from ._model import apart, same_graph, variables_of

law = Topic("nnx.rngs", "Flax NNX: Rngs", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/randomness.html"
_STREAMS = f"{_GUIDE}#rngs-rngstream-and-rngstate"
_DEFAULT = f"{_GUIDE}#default-prng-key-stream"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/rnglib.py"
_CASES = random_streams()
_WITH_DEFAULT = _CASES.filter(lambda recipe: "stream:default" in recipe.features)
_WITHOUT_DEFAULT = _CASES.filter(lambda recipe: "stream:default" not in recipe.features)
_GETITEM = "https://docs.python.org/3/reference/datamodel.html#object.__getitem__"


@law(
    "`rngs.name()` returns `fold_in(key, count)` of that stream and adds one to the count",
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
    "`rngs.name()` does not change any other stream",
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
    "Rngs made with the same arguments give the same keys in the same order",
    source=_STREAMS,
    needs={"Rngs"},
    case=_CASES,
    weight=0.4,
)
def equal_seeds_give_equal_keys(lib, case):
    same(_keys(case.rngs, case.calls), _keys(case.rebuild().rngs, case.calls))


@law(
    "no two calls of the streams of Rngs return the same key",
    source=f"{_API}#flax.nnx.Rngs",
    needs={"Rngs"},
    case=random_streams(most=6),
    weight=0.3,
)
def no_key_comes_twice(lib, case):
    """Each stream has its own seed."""
    keys = [jax.random.key_data(key).tobytes() for key in _keys(case.rngs, case.calls)]
    true(len(set(keys)) == len(keys), len(set(keys)), f"{len(keys)} different keys")


@law(
    "for a missing stream, Rngs use the default stream",
    source=_DEFAULT,
    needs={"Rngs"},
    case=_WITH_DEFAULT,
    weight=0.3,
)
def the_default_stands_in(lib, case):
    same(_keys(case.rngs, ["unknown"]), [case.rebuild().rngs.default()])
    same(case.rngs["unknown"](), _keys(case.rebuild().rngs, ["default"] * 2)[1])


@law(
    "`rngs()` returns the next key of the default stream",
    source=f"{_API}#flax.nnx.Rngs",
    needs={"Rngs"},
    case=_WITH_DEFAULT,
    weight=0.3,
)
def calling_rngs_uses_the_default(lib, case):
    other = case.rebuild().rngs
    for _ in range(2):
        same(case.rngs(), other.default())


@law(
    "`rngs.name` of a missing stream raises AttributeError if there is no default stream",
    source=f"{_API}#flax.nnx.Rngs",
    needs={"Rngs"},
    case=_WITHOUT_DEFAULT,
    weight=0.3,
)
def a_missing_stream_is_an_attribute_error(lib, case):
    refuses(AttributeError, lambda: case.rngs.unknown())


@law(
    "`rngs[name]` of a missing stream raises KeyError if there is no default stream",
    source=_GETITEM,
    level="should",
    needs={"Rngs"},
    case=_WITHOUT_DEFAULT,
    weight=0.3,
)
def a_missing_stream_is_a_key_error(lib, case):
    refuses(KeyError, lambda: case.rngs["unknown"])


@law(
    "Rngs are a mapping from the names of the streams to the streams",
    source=_STREAMS,
    level="should",
    needs={"Rngs"},
    case=_CASES,
    weight=0.3,
)
def rngs_hold_their_streams(lib, case):
    equal(sorted(case.rngs), case.names)
    equal(len(case.rngs), len(case.names))
    held = {name: stream is case.rngs[name] for name, stream in case.rngs.items()}
    true(held == dict.fromkeys(case.names, True), held, "each stream under its name")
    equal("unknown" in case.rngs, False)


@law(
    "the tag of the Variables of a stream is the name of the stream",
    source=_STREAMS,
    needs={"Rngs"},
    case=_CASES,
    weight=0.3,
)
def variables_are_tagged_with_the_stream(lib, case):
    tags = {path[0]: one.tag for path, one in variables_of(case.rngs)}
    equal(tags, {name: name for name in case.names})


@law(
    "a clone of Rngs gives the same next keys as the original and shares no object with it",
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
    "a shorthand method such as `normal` gives the result of `jax.random` with the next key",
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
    "`rngs.fork` returns streams of the same names whose keys no stream of `rngs` has",
    source=f"{_API}#flax.nnx.Rngs.fork",
    needs={"Rngs.fork"},
    case=_CASES,
    weight=0.3,
)
def fork_gives_unique_keys(lib, case):
    forked = case.rngs.fork()
    equal(sorted(forked), case.names)
    held = [nnx_api.value(rngs[name].key) for rngs in (case.rngs, forked) for name in case.names]
    true(_count(held) == 2 * len(case.names), _count(held), f"{2 * len(case.names)} different keys")


@law(
    "the keys of `rngs.fork()` are the next keys of `rngs`, with counts of zero",
    source=f"{_API}#flax.nnx.Rngs.fork",
    level="should",
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
    "`rngs.split` gives a stream the requested number of keys, with a count for each key",
    source=f"{_API}#flax.nnx.Rngs.split",
    needs={"Rngs.split"},
    case=_CASES,
    weight=0.3,
)
def split_gives_an_array_of_keys(lib, case):
    chosen, rest = case.names[0], case.names[1:]
    split = case.rngs.split({chosen: (2, 3), ...: None})
    equal(sorted(split), case.names)
    same([nnx_api.value(split[chosen].count)], [jnp.zeros((2, 3), jnp.uint32)])
    shapes = [nnx_api.value(split[name].key).shape for name in (chosen, *rest)]
    equal(shapes, [(2, 3)] + [()] * len(rest))


@law(
    "the keys that `rngs.split` gives to a stream are different",
    source=f"{_API}#flax.nnx.Rngs.split",
    needs={"Rngs.split"},
    case=_CASES,
    weight=0.3,
)
def split_keys_are_different(lib, case):
    split = case.rngs.split({case.names[0]: (2, 3), ...: None})
    keys = nnx_api.value(split[case.names[0]].key).ravel()
    true(_count(keys) == 6, _count(keys), "6 different keys")


@law(
    "the keys that `rngs.split` gives to a stream are `jax.random.split` of the next key of `rngs`",
    source=f"{_CODE}#L461",
    level="observed",
    needs={"Rngs.split"},
    case=_CASES,
    weight=0.3,
)
def split_splits_the_next_key(lib, case):
    chosen, other = case.names[0], case.rebuild().rngs
    split = case.rngs.split({chosen: (2, 3), ...: None})
    same(nnx_api.value(split[chosen].key), jax.random.split(other[chosen](), (2, 3)))
    same(nnx_api.value(case.rngs[chosen].count), nnx_api.value(other[chosen].count))


@law(
    "`rngs.split` does not change the next keys of streams that it does not split",
    source=f"{_API}#flax.nnx.Rngs.split",
    level="should",
    needs={"Rngs.split"},
    case=_CASES,
    weight=0.3,
)
def split_leaves_other_streams_alone(lib, case):
    """A stream that restarts would repeat its keys."""
    wanted = _keys(lib.clone(case.rngs), case.names)
    split = case.rngs.split({"unknown": 2, ...: None})
    same(_keys(split, case.names), wanted)


@law(
    "after `reseed`, the keys of a stream depend on the seed alone",
    source=f"{_GUIDE}#reseeding",
    needs={"reseed"},
    case=_CASES,
    weight=0.3,
)
def reseed_begins_anew(lib, case):
    """No case has these two seeds."""
    chosen = case.names[0]
    other = lib.Rngs(**{chosen: 99})
    for rngs in (case.rngs, other):
        lib.reseed(rngs, **{chosen: 42})
    same(_keys(case.rngs, [chosen] * 2), _keys(other, [chosen] * 2))


@law(
    "`reseed` sets the count of the stream to zero",
    source=f"{_GUIDE}#reseeding",
    needs={"reseed"},
    case=_CASES,
    weight=0.3,
)
def reseed_resets_the_count(lib, case):
    _keys(case.rngs, case.calls)
    lib.reseed(case.rngs, **{case.calls[0]: 42, case.names[0]: 42})
    same(nnx_api.value(case.rngs[case.names[0]].count), jnp.uint32(0))


@law(
    "`reseed` does not change streams that it does not name",
    source=f"{_GUIDE}#reseeding",
    level="should",
    needs={"reseed"},
    case=_CASES,
    weight=0.3,
)
def reseed_leaves_other_streams_alone(lib, case):
    chosen, rest = case.names[0], case.names[1:]
    lib.reseed(case.rngs, **{chosen: 42})
    same(_keys(case.rngs, rest), _keys(case.rebuild().rngs, rest))


@law(
    "`split_rngs` splits the streams that its filter selects into different keys, and no others",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs", "restore_rngs"},
    case=_CASES,
    weight=0.3,
)
def split_rngs_splits_what_its_filter_selects(lib, case):
    chosen, rest = case.names[0], case.names[1:]
    lib.split_rngs(case.rngs, splits=3, only=chosen)
    shapes = [nnx_api.value(case.rngs[name].key).shape for name in (chosen, *rest)]
    equal(shapes, [(3,)] + [()] * len(rest))
    keys = nnx_api.value(case.rngs[chosen].key)
    true(_count(keys) == 3, _count(keys), "3 different keys")


@law(
    "`restore_rngs` restores the keys that `split_rngs` replaced",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs", "restore_rngs"},
    case=_CASES,
    weight=0.3,
)
def split_rngs_can_be_undone(lib, case):
    keys = [nnx_api.value(case.rngs[name].key) for name in case.names]
    backups = lib.split_rngs(case.rngs, splits=3, only=case.names[0])
    lib.restore_rngs(backups)
    same([nnx_api.value(case.rngs[name].key) for name in case.names], keys)


@law(
    "`split_rngs(rngs, graph_updates=False)` returns a copy with the selected streams split",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs_gives_a_copy"},
    case=_CASES,
    weight=0.3,
)
def split_rngs_without_updates_gives_a_copy(lib, case):
    back = lib.split_rngs(case.rngs, splits=3, only=case.calls[0], graph_updates=False)
    shapes = [nnx_api.value(back[name].key).shape for name in case.names]
    wanted = [(3,) if name == case.calls[0] else () for name in case.names]
    equal(shapes, wanted)


@law(
    "`split_rngs(rngs, graph_updates=False)` does not change the original",
    source=f"{_API}#flax.nnx.split_rngs",
    needs={"split_rngs_gives_a_copy"},
    case=random_streams(absent=True),
    weight=0.3,
)
def split_rngs_without_updates_is_pure(lib, case):
    """Also if the filter selects no stream."""
    lib.split_rngs(case.rngs, splits=3, only=case.calls[0], graph_updates=False)
    same_graph(case.rngs, case.rebuild().rngs)


def _keys(rngs, names):
    """Call the stream of each name and return the keys."""
    return [getattr(rngs, name)() for name in names]


def _count(keys):
    """Return the number of different keys."""
    return len({jax.random.key_data(key).tobytes() for key in keys})
