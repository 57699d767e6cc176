"""JAX: the errors for a tree of another structure, shape or dtype than is due."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis_pytrees.trees.calls.misfits import misfits
from hypothesis_pytrees.trees.calls.misfits_ways import PREFIX, TYPED, WHOLE, WITH_PLACE
from treelaws.core.law import Topic
from treelaws.core.mismatch import Mismatch, shown
from treelaws.equality import refuses, true

law = Topic("jax.misfits", "JAX: errors for trees that do not fit", family="jax")
# No page documents the type of the error; JAX's own tests check it.
_TESTS = "https://github.com/jax-ml/jax/blob/main/tests"
_LOOPS = f"{_TESTS}/lax_control_flow_test.py"
_ERRORS = (TypeError, ValueError)


@law(
    "a carry, a result of a branch, a tangent or a cotangent of another structure than is due "
    "raises TypeError or ValueError",
    source=f"{_TESTS}/api_test.py",
    level="should",
    case=misfits(WHOLE, "nodes", "leaves", "leaf-for-node", "nones"),
)
def another_structure_is_refused(lib, case):
    refuses(_ERRORS, case.attempt)


@law(
    "a carry, a result of a branch, a tangent or a cotangent of another shape or dtype than is due "
    "raises TypeError or ValueError",
    source=f"{_TESTS}/api_test.py",
    level="should",
    case=misfits(TYPED, "types"),
)
def another_type_is_refused(lib, case):
    refuses(_ERRORS, case.attempt)


@law(
    "axes, shardings and results of a backward rule that are not a prefix of what is due raise "
    "TypeError or ValueError",
    source=f"{_TESTS}/api_test.py",
    level="should",
    case=misfits(PREFIX, "nodes", "leaves"),
)
def what_is_no_prefix_is_refused(lib, case):
    refuses(_ERRORS, case.attempt)


@law(
    "the error for a carry or a result of a branch that does not fit names the key path of the "
    "difference",
    source=_LOOPS,
    level="should",
    case=misfits(WITH_PLACE, "nodes", "leaves", "leaf-for-node", "nones", "types"),
    parents=[another_structure_is_refused, another_type_is_refused],
)
def the_error_names_the_place(lib, case):
    text = _error_of(case.attempt)
    true(case.place in text, text, f"an error that names {case.place!r}")


def _error_of(call: Callable[[], Any]) -> str:
    """Return the text of the TypeError or ValueError that a call raises."""
    try:
        value = call()
    except _ERRORS as raised:
        return str(raised)
    raise Mismatch("", "no error", shown(value), "TypeError or ValueError")
