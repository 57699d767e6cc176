"""Flax NNX: `tabulate`, which calls a module to print what it holds and returns."""

from __future__ import annotations

import contextlib

from hypothesis_pytrees.nnx.layers.watched import watched
from treelaws.core.law import Topic
from treelaws.equality import equal, true

from ._classes import changed, members, restored
from ._model import described, same_rows

law = Topic("nnx.tabulate", "Flax NNX: tables of modules", family="nnx")
_PAGE = (
    "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/visualization.html"
    "#flax.nnx.tabulate"
)
_WIDE = {"width": 300}


@law(
    "`tabulate` of a module with any members and containers names the path and the type of each "
    "module that is called",
    source=_PAGE,
    needs={"tabulate", "List"},
    case=watched(fails=False),
)
def tables_have_a_row_for_each_module(lib, case):
    with restored(lib.List, lib.Dict, lib.Sequential):
        text = lib.tabulate(case.module, case.x, console_kwargs=_WIDE)
    for word in case.rows:
        true(word in text, text, f"a table with {word}")


@law(
    "`tabulate` leaves the module that it gets, and the classes in it, as they were, whether it "
    "returns or raises",
    source=_PAGE,
    level="should",
    needs={"tabulate", "List"},
    case=watched(),
)
def tables_leave_modules_and_classes_alone(lib, case):
    classes = (*case.classes, lib.List, lib.Dict, lib.Sequential)
    before, rows = members(classes), described(case.module)
    with restored(*classes[-3:]):
        with contextlib.suppress(Exception):
            lib.tabulate(case.module, case.x)
        equal(changed(classes, before), [])
    same_rows(described(case.module), rows)
