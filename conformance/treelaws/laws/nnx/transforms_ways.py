"""Flax NNX: a program has one result and one effect on a module, in whatever way it is run."""

from __future__ import annotations

import functools

from hypothesis_pytrees.nnx.calls.program_ways import (
    ANY_PROGRAM,
    AS_A_TREE,
    FIXED_PROGRAM,
    WITHOUT_RESULT,
    programs_in_ways,
)
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import refuses, same

from ._inputs import without_sharing
from ._model import same_graph
from .transforms import arrays, jit_does_what_the_program_does, law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"


def _in_a_transform(recipe):
    """Return whether the way is more than a call in another thread."""
    return "way:thread" not in recipe.features


@law(
    "a program has the same result and the same effect on a module in each transform, context and "
    "thread as outside",
    source=f"{_GUIDE}#graph-updates-propagation",
    needs={"jit"},
    case=programs_in_ways(ANY_PROGRAM, cycles=True),
    parents=[jit_does_what_the_program_does],
)
def each_way_runs_the_program(lib, case):
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(other.run(other.program, other.module, other.x), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "a program that keeps the structure of a module has the same result and effect in each "
    "transform as outside, again and again",
    source=f"{_GUIDE}#state-propagation",
    needs={"jit"},
    case=programs_in_ways(FIXED_PROGRAM, steps=FIXED, nodes=True),
    parents=[jit_does_what_the_program_does],
)
def each_way_runs_it_again(lib, case):
    other = case.rebuild()
    run = functools.partial(other.run, other.program)
    for _ in range(2):
        wanted = case.program(case.module, case.x)
        same(arrays(run(other.module, other.x)), arrays(wanted))
        same_graph(other.module, case.module)


@law(
    "an error of a program comes out of each transform; the module is as before, and the next "
    "call is right",
    source=f"{_GUIDE}#graph-updates-propagation",
    level="should",
    needs={"jit"},
    case=programs_in_ways(FIXED_PROGRAM, steps=FIXED, nodes=True).filter(_in_a_transform),
    parents=[each_way_runs_it_again],
)
def an_error_changes_no_module(lib, case):
    other = case.rebuild()
    failing = lambda module, x: (other.program(module, x), 1 // 0)
    refuses(ZeroDivisionError, lambda: other.run(failing, other.module, other.x))
    same_graph(other.module, case.module)
    wanted = case.program(case.module, case.x)
    same(arrays(other.run(other.program, other.module, other.x)), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "a loop that runs a program once, and a transform of a function that returns None, has the "
    "effect of the program on a module",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html",
    needs={"scan"},
    case=programs_in_ways(WITHOUT_RESULT, steps=FIXED, nodes=True),
)
def each_loop_has_the_effect(lib, case):
    other = case.rebuild()
    case.program(case.module, case.x)
    other.run(other.program, other.module, other.x)
    same_graph(other.module, case.module)


@law(
    "a program that changes values has the same result and effect in each transform that takes "
    "modules as trees, or propagates no change of their graph",
    source="https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html",
    needs={"tree_mode", "jit_partial"},
    case=programs_in_ways(AS_A_TREE, steps=FIXED, alias=False, nodes=True).filter(without_sharing),
)
def each_way_takes_a_module_as_a_tree(lib, case):
    other = case.rebuild()
    for _ in range(2):
        wanted = case.program(case.module, case.x)
        same(arrays(other.run(other.program, other.module, other.x)), arrays(wanted))
        same_graph(other.module, case.module)
