"""Equinox: tools to find errors in programs."""

from __future__ import annotations

import contextlib
import io

from hypothesis_pytrees.equinox.cached import dead_code
from treelaws.core.law import Topic
from treelaws.equality import equal

law = Topic("equinox.debug", "Equinox: tools to find errors", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/debug/#equinox.debug"


@law(
    "`store_dce` returns the arrays of its argument unchanged",
    source=f"{_DOCS}.store_dce",
    needs={"debug.store_dce"},
    case=dead_code(),
    weight=0.1,
)
def store_dce_changes_nothing(lib, case):
    wanted = sum(2.0 * i for used in case.groups for i, use in enumerate(used) if use)
    equal(float(case.run()), float(wanted))


@law(
    "`inspect_dce` shows each call of `store_dce` with its name, and which arrays were removed",
    source=f"{_DOCS}.store_dce",
    needs={"debug.store_dce", "debug.inspect_dce"},
    case=dead_code(),
    weight=0.2,
    parents=[store_dce_changes_nothing],
)
def inspect_dce_shows_each_call(lib, case):
    case.run().block_until_ready()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        lib.debug.inspect_dce(case.name)
    entries = output.getvalue().split("Entry ")[1:]
    equal([one.count("<DCE'd>") for one in entries], [used.count(False) for used in case.groups])
