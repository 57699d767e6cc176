"""Flax NNX: `Rngs`, named streams of random keys."""

from __future__ import annotations

import jax

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
)
def equal_seeds_give_equal_keys(lib, case):
    same(_keys(case.rngs, case.calls), _keys(case.rebuild().rngs, case.calls))


@law(
    "no two calls of the streams of Rngs return the same key",
    source=f"{_API}#flax.nnx.Rngs",
    needs={"Rngs"},
    case=random_streams(most=6),
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
)
def the_default_stands_in(lib, case):
    same(_keys(case.rngs, ["unknown"]), [case.rebuild().rngs.default()])
    same(case.rngs["unknown"](), _keys(case.rebuild().rngs, ["default"] * 2)[1])


@law(
    "`rngs()` returns the next key of the default stream",
    source=f"{_API}#flax.nnx.Rngs",
    needs={"Rngs"},
    case=_WITH_DEFAULT,
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
)
def a_missing_stream_is_an_attribute_error(lib, case):
    refuses(AttributeError, lambda: case.rngs.unknown())


@law(
    "`rngs[name]` of a missing stream raises KeyError if there is no default stream",
    source=_GETITEM,
    level="should",
    needs={"Rngs"},
    case=_WITHOUT_DEFAULT,
)
def a_missing_stream_is_a_key_error(lib, case):
    refuses(KeyError, lambda: case.rngs["unknown"])


@law(
    "Rngs are a mapping from the names of the streams to the streams",
    source=_STREAMS,
    level="should",
    needs={"Rngs"},
    case=_CASES,
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
)
def variables_are_tagged_with_the_stream(lib, case):
    tags = {path[0]: one.tag for path, one in variables_of(case.rngs)}
    equal(tags, {name: name for name in case.names})


@law(
    "a clone of Rngs gives the same next keys as the original and shares no object with it",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.clone",
    needs={"clone"},
    case=_CASES,
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
)
def shorthand_methods_take_the_next_key(lib, case):
    other = case.rebuild().rngs
    for name in case.calls:
        same(case.rngs[name].normal((2,)), jax.random.normal(other[name](), (2,)))
        same(case.rngs[name].uniform(()), jax.random.uniform(other[name](), ()))
    same_graph(case.rngs, other)


def _keys(rngs, names):
    """Call the stream of each name and return the keys."""
    return [getattr(rngs, name)() for name in names]


@law(
    "`Rngs(key)` that a compiled function makes gives the keys that it gives outside",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html#flax.nnx.Rngs",
    level="should",
    needs={"Rngs"},
    case=_CASES,
)
def rngs_are_made_of_keys_inside_jit(lib, case):
    def drawn(key):
        rngs = lib.Rngs(key)
        return [rngs[name]() for name in case.calls]

    key = jax.random.key(len(case.calls))
    same(jax.jit(drawn)(key), drawn(key))
