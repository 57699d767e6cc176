"""Flax NNX: `capture` with modules in containers, and the classes whose methods it wraps."""

from __future__ import annotations

import contextlib

from hypothesis_pytrees.nnx.layers.watched import watched
from treelaws.equality import equal, same

from ._classes import changed, members, restored
from .capture import law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/extracting_intermediates.html"


@law(
    "a module returns the same when it is captured, whatever containers hold its modules",
    source=f"{_GUIDE}#how-nnx-capture-works",
    needs={"capture"},
    case=watched(fails=False),
)
def capturing_changes_no_result(lib, case):
    wanted = case.rebuild().module(case.x)
    result, _ = lib.capture(case.module, lib.Intermediate)(case.x)
    same(result, wanted)


@law(
    "`capture` leaves the classes whose methods it captures as they were, whether the function "
    "returns or raises",
    source=f"{_GUIDE}#how-nnx-capture-works",
    level="should",
    needs={"capture"},
    case=watched(),
)
def captured_classes_stay_as_they_are(lib, case):
    classes = (*case.classes, lib.List, lib.Dict, lib.Sequential)
    before = members(classes)
    wrapped = lib.capture(case.module, lib.Intermediate, method_outputs=lib.Intermediate)
    with restored(*classes[-3:]):
        with contextlib.suppress(Exception):
            wrapped(case.x)
        equal(changed(classes, before), [])
