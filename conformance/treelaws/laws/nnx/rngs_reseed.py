"""Flax NNX: `reseed` gives the streams of a tree new seeds."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from hypothesis_pytrees.nnx.stream_rules import reseedings
from treelaws.equality import equal, refuses, same

from ._streams import counts_of, keys_of, next_keys, shapes_of
from .rngs import law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/randomness.html#reseeding"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/rnglib.html#flax.nnx.reseed"
_CASES = reseedings()
_ARRAYS = reseedings(arrays=True)


@law(
    "after `reseed`, the keys of a stream depend on the seed alone",
    source=_GUIDE,
    needs={"reseed"},
    case=_CASES,
)
def reseed_begins_anew(lib, case):
    other = case.rebuild()
    next_keys(other.streams(other.tree))
    lib.reseed(other.tree, **dict.fromkeys(case.seeds, 7))
    for tree in (case.tree, other.tree):
        lib.reseed(tree, **case.seeds)
    own, theirs = (case.named(tree) for tree in (case.tree, other.tree))
    same(next_keys(own), next_keys(theirs))


@law(
    "`reseed` sets the count of each stream that it names to zero",
    source=_GUIDE,
    needs={"reseed"},
    case=_CASES,
)
def reseed_resets_the_count(lib, case):
    lib.reseed(case.tree, **case.seeds)
    counts = counts_of(case.named(case.tree))
    same(counts, [jnp.uint32(0)] * len(counts))


@law(
    "`reseed` does not change streams that it does not name",
    source=_GUIDE,
    level="should",
    needs={"reseed"},
    case=_CASES,
)
def reseed_leaves_other_streams_alone(lib, case):
    wanted = next_keys(case.others(case.rebuild().tree))
    lib.reseed(case.tree, **case.seeds)
    same(next_keys(case.others(case.tree)), wanted)


@law(
    "`reseed` gives the streams of one name the keys of a stream with the new seed, one after "
    "the other",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/rnglib.py",
    level="observed",
    needs={"reseed"},
    case=_CASES,
)
def reseed_gives_keys_of_the_new_seed(lib, case):
    lib.reseed(case.tree, **case.seeds)
    for name, seed in case.seeds.items():
        own = [one for one in case.named(case.tree) if one.key.tag == name]
        keys = jax.random.key_data(jnp.stack(keys_of(own))).tolist() if own else []
        wanted = lib.Rngs(seed)
        equal(sorted(keys), sorted(jax.random.key_data(wanted()).tolist() for _ in own))


@law(
    "`reseed` refuses a stream with an array of keys, unless the policy is `match_shape`, which "
    "splits the new key to the shape of the old ones",
    source=_API,
    needs={"reseed_has_a_policy", "split_rngs_gives_a_copy"},
    case=_ARRAYS,
)
def reseed_refuses_arrays_of_keys(lib, case):
    tree, plain = case.arrays, case.rebuild().tree
    refuses(ValueError, lambda: lib.reseed(tree, **case.seeds))
    lib.reseed(tree, policy="match_shape", **case.seeds)
    lib.reseed(plain, **case.seeds)
    wanted = [jax.random.split(key, case.shape) for key in keys_of(case.named(plain))]
    same(keys_of(case.named(tree)), wanted)
    equal(shapes_of(case.named(tree)), [count.shape for count in counts_of(case.named(tree))])


@law(
    "a policy of `reseed` is called with the path, the new key and the shape of the old keys, and "
    "gives the keys",
    source=_API,
    needs={"reseed_has_a_policy", "split_rngs_gives_a_copy"},
    case=_ARRAYS,
)
def reseed_asks_its_policy(lib, case):
    asked, plain = [], case.rebuild().tree
    answer = lambda path, key, shape: (asked.append(shape), jnp.broadcast_to(key, shape))[1]
    lib.reseed(case.arrays, policy=answer, **case.seeds)
    lib.reseed(plain, **case.seeds)
    equal(asked, [case.shape] * len(case.named(case.arrays)))
    wanted = [jnp.broadcast_to(key, case.shape) for key in keys_of(case.named(plain))]
    same(keys_of(case.named(case.arrays)), wanted)


@law(
    "`reseed` refuses a policy that does not exist",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/rnglib.py",
    level="observed",
    needs={"reseed_has_a_policy"},
    case=_CASES,
)
def reseed_refuses_an_unknown_policy(lib, case):
    refuses(ValueError, lambda: lib.reseed(case.tree, policy="keep", **case.seeds))
