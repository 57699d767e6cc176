"""Mutants of Flax NNX' random streams."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from selftest.mutant import mutant

_ID = "nnx.rngs."


def _rngs(nnx: Any, **methods: Any) -> dict[str, Any]:
    return {"Rngs": type("Rngs", (nnx.Rngs,), methods)}


@mutant(
    "nnx",
    kills=[
        _ID + "a_call_folds_the_count_into_the_key",
        _ID + "no_key_comes_twice",
    ],
)
def streams_do_not_count(nnx):
    """A stream gives its first key for ever."""

    class Frozen:
        def __init__(self, stream):
            self.key, self.count, self._stream = stream.key, stream.count, stream

        def __call__(self):
            return jax.random.fold_in(_held(self.key), _held(self.count))

        def __getattr__(self, name):
            return getattr(self._stream, name)

    def stream(self, name, error):
        return Frozen(super(broken["Rngs"], self)._get_stream(name, error))

    def attribute(self, name):
        return super(broken["Rngs"], self).__getattribute__(name)

    def get(self, name):
        found = attribute(self, name)
        return Frozen(found) if type(found).__name__ == "RngStream" else found

    broken = _rngs(nnx, _get_stream=stream, __getattribute__=get)
    return broken


def _held(variable: Any) -> Any:
    return variable.get_value() if hasattr(type(variable), "get_value") else variable.value


@mutant(
    "nnx",
    kills=[
        _ID + "the_default_stands_in",
        _ID + "a_missing_stream_is_an_attribute_error",
        _ID + "a_missing_stream_is_a_key_error",
    ],
)
def any_stream_stands_in(nnx):
    """Another stream than the default one stands in for a missing stream."""

    def stream(self, name, error):
        names = list(self)
        known = name if name in names else min(names, key=lambda one: one == "default")
        return super(broken["Rngs"], self)._get_stream(known, error)

    broken = _rngs(nnx, _get_stream=stream)
    return broken


@mutant("nnx", kills=[_ID + "calling_rngs_uses_the_default"])
def a_call_forks_the_default(nnx):
    """`rngs()` returns keys of a copy of the default stream."""
    return _rngs(nnx, __call__=lambda self: self.default.fork()())


@mutant("nnx", kills=[_ID + "a_call_changes_its_own_stream_alone"])
def calls_count_the_first_stream(nnx):
    """A look at any stream counts the first one on."""

    def item(self, name):
        found = super(broken["Rngs"], self).__getitem__(name)

        def call():
            next(stream for _, stream in self.items())()
            return found()

        return _Proxy(found, call)

    broken = _rngs(nnx, __getitem__=item)
    return broken


class _Proxy:
    def __init__(self, stream: Any, call: Any, **methods: Any) -> None:
        self._stream, self._call = stream, call
        vars(self).update(methods)

    def __call__(self) -> Any:
        return self._call()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@mutant("nnx", kills=[_ID + "equal_seeds_give_equal_keys"])
def seeds_count_instances(nnx):
    """Each Rngs has seeds of its own, whatever it is told."""
    made: list[int] = []

    def rngs(*args, **streams):
        made.append(1)
        back = nnx.Rngs(*args, **streams)
        for _, stream in list(back.items()):
            for _ in range(len(made) % 7):
                stream()
        return back

    return {"Rngs": rngs}


@mutant("nnx", kills=[_ID + "rngs_hold_their_streams"])
def iteration_names_two_streams(nnx):
    """Iterating over Rngs stops after two streams."""

    def names(self):
        return iter(list(super(broken["Rngs"], self).__iter__())[:1])

    broken = _rngs(nnx, __iter__=names)
    return broken


@mutant("nnx", kills=[_ID + "variables_are_tagged_with_the_stream"])
def every_stream_is_tagged_default(nnx):
    """The Variables of all streams have the tag of the default stream."""

    def rngs(*args, **streams):
        back = nnx.Rngs(*args, **streams)
        for _, stream in list(back.items()):
            stream.key = type(stream.key)(_held(stream.key), tag="default")
        return back

    return {"Rngs": rngs}


@mutant("nnx", kills=[_ID + "a_copy_goes_on_as_the_original"])
def copies_of_streams_begin_anew(nnx):
    """`clone` sets the counts of streams to zero."""

    def clone(node, **options):
        back = nnx.clone(node, **options)
        if isinstance(back, nnx.Rngs):
            for _, stream in list(back.items()):
                stream.count = type(stream.count)(_held(stream.count) * 0, tag=stream.count.tag)
        return back

    return {"clone": clone}


@mutant("nnx", kills=[_ID + "shorthand_methods_take_the_next_key"])
def fork_and_shorthands_repeat_a_key(nnx):
    """A stream that is reached by its name gives one number for every `normal`."""

    def item(self, name):
        found = super(broken["Rngs"], self).__getitem__(name)
        normal = lambda shape: jax.random.normal(_held(found.key), shape)
        return _Proxy(found, found, normal=normal)

    broken = _rngs(nnx, __getitem__=item)
    return broken


@mutant("nnx", kills=[_ID + "fork_gives_unique_keys", _ID + "fork_gives_new_keys"])
def fork_copies_the_keys(nnx):
    """`fork` gives streams of the keys that the original has."""

    def fork(self, **options):
        return nnx.Rngs(**{name: _held(stream.key) for name, stream in self.items()})

    return _rngs(nnx, fork=fork)


@mutant(
    "nnx",
    kills=[_ID + "split_gives_an_array_of_keys", _ID + "split_leaves_other_streams_alone"],
)
def split_splits_every_stream(nnx):
    """`Rngs.split` splits each stream into two, whatever it is told."""

    def split(self, pattern):
        return super(broken["Rngs"], self).split(2)

    broken = _rngs(nnx, split=split)
    return broken


@mutant("nnx", kills=[_ID + "split_keys_are_different", _ID + "split_splits_the_next_key"])
def split_repeats_one_key(nnx):
    """`Rngs.split` gives the same key several times, as `broadcast` does."""
    return _rngs(nnx, split=lambda self, pattern: self.broadcast(pattern))


@mutant("nnx", kills=[_ID + "reseed_begins_anew"])
def reseed_does_nothing(nnx):
    """`reseed` changes nothing."""
    return {"reseed": lambda node, **seeds: None}


@mutant("nnx", kills=[_ID + "reseed_leaves_other_streams_alone"])
def reseed_takes_every_stream(nnx):
    """`reseed` takes the first seed for all streams."""

    def reseed(node, **seeds):
        nnx.reseed(node, **dict.fromkeys(node, next(iter(seeds.values()))))

    return {"reseed": reseed}


@mutant("nnx", kills=[_ID + "reseed_resets_the_count"])
def reseed_keeps_the_count(nnx):
    """`reseed` leaves the count of a stream where it is."""

    def reseed(node, **seeds):
        counts = {name: _held(stream.count) for name, stream in node.items()}
        nnx.reseed(node, **seeds)
        for name, stream in list(node.items()):
            stream.count = type(stream.count)(counts[name], tag=name)

    return {"reseed": reseed}


@mutant(
    "nnx",
    kills=[
        _ID + "split_rngs_splits_what_its_filter_selects",
        _ID + "split_rngs_without_updates_gives_a_copy",
        _ID + "split_rngs_without_updates_is_pure",
    ],
)
def split_rngs_takes_no_filter(nnx):
    """`split_rngs` splits every stream."""
    return {"split_rngs": lambda node, only=..., **options: nnx.split_rngs(node, **options)}


@mutant("nnx", kills=[_ID + "split_rngs_can_be_undone"])
def restoring_restores_nothing(nnx):
    """`restore_rngs` leaves the keys split."""
    return {"restore_rngs": lambda backups: None}


@mutant(
    "nnx",
    kills=[
        _ID + "fork_rngs_follows_the_first_filter",
        _ID + "fork_rngs_without_updates_is_pure",
    ],
)
def fork_rngs_takes_no_filter(nnx):
    """`fork_rngs` forks every stream into one."""
    return {"fork_rngs": lambda node, split=None, **options: nnx.fork_rngs(node, **options)}


@mutant("nnx", kills=["nnx.rngs.with_rngs_forks_what_is_not_split"])
def with_rngs_forks_all_or_nothing(nnx):
    """`with_rngs` forks no stream, unless it is to fork all that it does not split."""
    if not hasattr(nnx, "with_rngs"):
        return {}

    def with_rngs(*args, fork=None, **options):
        return nnx.with_rngs(*args, fork=... if fork is ... else None, **options)

    return {"with_rngs": with_rngs}


@mutant(
    "nnx",
    kills=[
        _ID + "a_stream_broadcasts_its_next_key",
        _ID + "a_stream_splits_and_forks_its_next_key",
    ],
)
def streams_hand_out_their_own_key(nnx):
    """`split` and `broadcast` of a stream take the key of the stream, which does not count."""

    def get(self, name):
        found = super(broken["Rngs"], self).__getattribute__(name)
        if type(found).__name__ != "RngStream":
            return found
        of = lambda key: type(found)(key, tag=found.tag)
        return _Proxy(
            found,
            found,
            broadcast=lambda shape: of(jnp.broadcast_to(_held(found.key), shape)),
            split=lambda shape: of(jax.random.split(_held(found.key), shape)),
        )

    broken = _rngs(nnx, __getattribute__=get)
    return broken


@mutant("nnx", kills=[_ID + "rngs_answer_no_other_protocol"])
def rngs_answer_special_names(nnx):
    """A missing name of any kind is the default stream."""

    def __getattr__(self, name):
        return self["default"] if "default" in self else nnx.Rngs.__getattr__(self, name)

    return _rngs(nnx, __getattr__=__getattr__)


@mutant("nnx", kills=[_ID + "streams_start_from_any_key"])
def streams_start_from_default_keys(nnx):
    """A key of another implementation becomes a seed."""

    def key_of(value):
        other = hasattr(value, "dtype") and value.dtype != jax.random.key(0).dtype
        return jax.random.key(0) if other else value

    def __init__(self, *args, **named):
        args = [
            {name: key_of(one) for name, one in arg.items()} if isinstance(arg, dict) else arg
            for arg in args
        ]
        named = {name: key_of(one) for name, one in named.items()}
        nnx.Rngs.__init__(self, *args, **named)

    return _rngs(nnx, __init__=__init__)
