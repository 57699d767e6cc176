"""Equinox: tools to find errors in programs."""

from __future__ import annotations

import contextlib
import io

from hypothesis_pytrees.equinox.cached import dead_code
from hypothesis_pytrees.equinox.identities import differentiated, of_any_leaves
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._functions import squared, with_jax_values

law = Topic("equinox.debug", "Equinox: tools to find errors", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/debug/#equinox.debug"
_IDENTITIES = {
    f"debug.{name}" for name in ("announce_transform", "backward_nan", "breakpoint_if", "store_dce")
}


@law(
    "`store_dce` returns the arrays of its argument unchanged",
    source=f"{_DOCS}.store_dce",
    needs={"debug.store_dce"},
    case=dead_code(),
)
def store_dce_changes_nothing(lib, case):
    wanted = sum(2.0 * i for used in case.groups for i, use in enumerate(used) if use)
    equal(float(case.run()), float(wanted))


@law(
    "`inspect_dce` shows each call of `store_dce` with its name, and which arrays were removed",
    source=f"{_DOCS}.store_dce",
    needs={"debug.store_dce", "debug.inspect_dce"},
    case=dead_code(),
    parents=[store_dce_changes_nothing],
)
def inspect_dce_shows_each_call(lib, case):
    case.run().block_until_ready()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        lib.debug.inspect_dce(case.name)
    entries = output.getvalue().split("Entry ")[1:]
    equal([one.count("<DCE'd>") for one in entries], [used.count(False) for used in case.groups])


@law(
    "`announce_transform`, `backward_nan` and `store_dce` return a tree with leaves of any kind "
    "unchanged, and `breakpoint_if` changes none",
    source=f"{_DOCS}.announce_transform",
    level="should",
    needs=_IDENTITIES,
    case=of_any_leaves("debug"),
)
def debugging_keeps_leaves_of_any_kind(lib, case):
    same(with_jax_values(case.run(case.identity, case.tree)), with_jax_values(case.tree))


@law(
    "`announce_transform`, `backward_nan`, `store_dce` and `breakpoint_if` change neither a result "
    "nor a derivative in any transformation of JAX",
    source=f"{_DOCS}.announce_transform",
    level="should",
    needs=_IDENTITIES,
    case=differentiated("debug"),
    parents=[debugging_keeps_leaves_of_any_kind],
)
def debugging_changes_no_derivative(lib, case):
    same(case.run(lambda tree: squared(case.identity(tree))), case.run(squared))
