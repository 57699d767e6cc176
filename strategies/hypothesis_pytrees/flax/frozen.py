"""`flax.core.FrozenDict` with keys of every sort, one sort a dict: a node sorts its keys."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

from .kinds import frozen_kind

FROZEN_DICTS: tuple[Kind, ...] = (
    frozen_kind("str-keys", "flax.core.freeze({'a': $0})"),
    frozen_kind("str-keys unsorted", "flax.core.freeze({'b': $0, 'a': $1})"),
    frozen_kind("int-keys unsorted no-text", "flax.core.freeze({10: $0, 9: $1})"),
    frozen_kind("digit-keys unsorted", "flax.core.freeze({'9': $0, '10': $1})"),
    frozen_kind("mixed-keys unsorted no-text", "flax.core.freeze({2.5: $0, 1: $1})"),
    frozen_kind("tuple-keys unsorted no-text", "flax.core.freeze({('b', 1): $0, ('a',): $1})"),
    frozen_kind("bytes-keys no-text", "flax.core.freeze({b'': $0})"),
    frozen_kind("str-keys nested", "flax.core.freeze({'params': {'w': $0}, 'empty': {}})"),
    frozen_kind("int-keys nested no-text", "flax.core.freeze({1: $0, 2: {3: $1}})"),
    frozen_kind(
        "str-keys nested frozen-inside no-text", "flax.core.FrozenDict(a=flax.core.freeze({1: $0}))"
    ),
    frozen_kind("str-keys copied", "flax.core.freeze({'b': $0}).copy({'a': $1})"),
    frozen_kind("str-keys popped", "flax.core.freeze({'a': $0, 'b': 1}).pop('b')[0]"),
    frozen_kind("empty", "flax.core.freeze({})"),
)
