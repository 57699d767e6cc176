"""Flax without NNX as a subject (struct, FrozenDict, serialization); its node types."""

from __future__ import annotations

import contextlib
import functools
import importlib
from types import ModuleType

from hypothesis_pytrees import CONTAINERS, trees
from hypothesis_pytrees.flax.frozen import FROZEN_DICTS
from hypothesis_pytrees.flax.structs import FLAX_STRUCTS
from treelaws.compat import claims
from treelaws.core.subject import Subject, add

# `import flax` leaves these out.
_SUBMODULES = (
    *("training.common_utils", "training.train_state", "training.dynamic_scale"),
    *("training.early_stopping", "training.prefetch_iterator", "cursor"),
)


def _library() -> ModuleType:
    for name in _SUBMODULES:
        # A release without one fails the laws that need it, and no others.
        with contextlib.suppress(ImportError):
            importlib.import_module(f"flax.{name}")
    return importlib.import_module("flax")


flax = add(
    Subject(
        "flax",
        "flax",
        _library,
        claims=lambda _: claims.of("flax"),
        requires="flax",
        part_of="flax",
    )
)
for _name, _roots in (("flax.struct", FLAX_STRUCTS), ("FrozenDict", FROZEN_DICTS)):
    add(
        Subject(
            _name,
            "node",
            lambda: importlib.import_module("jax"),
            kind=_roots[0].name,
            instances=functools.partial(
                trees, roots=_roots, kinds=(*CONTAINERS, *FLAX_STRUCTS, *FROZEN_DICTS)
            ),
            requires="flax",
            part_of="flax",
        )
    )
