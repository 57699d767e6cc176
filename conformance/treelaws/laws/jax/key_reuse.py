"""JAX: the checker of random keys that are used twice."""

from __future__ import annotations

import itertools

from hypothesis_pytrees.trees.calls.key_programs import key_programs
from treelaws.core.law import Topic
from treelaws.equality import refuses

law = Topic("jax.key_reuse", "JAX: reuse of random keys", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/jax.experimental.key_reuse.html"


@law(
    "under `debug_key_reuse` a program that consumes each key of a tree once runs",
    source=_DOCS,
    needs={"debug_key_reuse"},
    level="should",
    case=key_programs(twice=False),
)
def keys_that_are_used_once_are_taken(lib, case):
    with lib.debug_key_reuse(True):
        case.run(case.make(itertools.count()))


@law(
    "under `debug_key_reuse` a program that consumes a key of a tree twice raises KeyReuseError",
    source=_DOCS,
    needs={"debug_key_reuse", "errors.KeyReuseError"},
    level="should",
    case=key_programs(twice=True),
)
def keys_that_are_used_twice_are_refused(lib, case):
    with lib.debug_key_reuse(True):
        keys = case.make(itertools.count())
        refuses(lib.errors.KeyReuseError, lambda: case.run(keys))
