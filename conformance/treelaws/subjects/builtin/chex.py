"""Chex as a subject, and `chex.dataclass` as a node type."""

from __future__ import annotations

import functools
import importlib

from hypothesis_pytrees import CONTAINERS, trees
from hypothesis_pytrees.flax.chex_dataclasses import CHEX_DATACLASSES
from treelaws.core.subject import Subject, add

add(
    Subject(
        "chex", "chex", lambda: importlib.import_module("chex"), requires="chex", part_of="chex"
    )
)
add(
    Subject(
        "chex.dataclass",
        "node",
        lambda: importlib.import_module("jax"),
        kind="chex-dataclass",
        instances=functools.partial(
            trees, roots=CHEX_DATACLASSES, kinds=(*CONTAINERS, *CHEX_DATACLASSES)
        ),
        requires="chex",
        part_of="chex",
    )
)
