"""Flax NNX: options of a transform change neither the result nor the effect of a program."""

from __future__ import annotations

import functools

from hypothesis_pytrees.nnx.calls.program_ways import doubled_in_every_way, programs_in_ways
from hypothesis_pytrees.nnx.calls.transform_options import (
    ANY_OPTIONS,
    FIXED_OPTIONS,
    LOOP_OPTIONS,
    WITHOUT_SPECS,
)
from hypothesis_pytrees.nnx.calls.tree_options import (
    GRAPH_LOOPS,
    GRAPH_RESULTS,
    TREE_LOOPS,
    TREE_OPTIONS,
)
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import same

from ._inputs import without_sharing
from ._model import same_graph
from .transforms import arrays, jit_does_what_the_program_does, law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_TREES = "https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html"


@law(
    "a program has the same result and the same effect on a module under `jit` with donated "
    "arguments, shardings of one device, inlining or unused arguments",
    source=f"{_API}#flax.nnx.jit",
    level="should",
    needs={"jit"},
    case=programs_in_ways(ANY_OPTIONS, cycles=True),
    parents=[jit_does_what_the_program_does],
)
def options_of_jit_change_no_program(lib, case):
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(other.run(other.program, other.module, other.x), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "a program that keeps the structure of a module has the same result and effect with each "
    "option of a transform that concerns its compilation, its memory or an axis of size one",
    source=_API,
    level="should",
    needs={"jit"},
    case=programs_in_ways((*FIXED_OPTIONS, *GRAPH_RESULTS), steps=FIXED, nodes=True),
    parents=[jit_does_what_the_program_does],
)
def options_change_no_repeated_program(lib, case):
    other = case.rebuild()
    run = functools.partial(other.run, other.program)
    for _ in range(2):
        wanted = case.program(case.module, case.x)
        same(arrays(run(other.module, other.x)), arrays(wanted))
        same_graph(other.module, case.module)


@law(
    "`shard_map` over one device does what the program does with None as the spec of an argument, "
    "or of all of them",
    # "If an argument, or argument subtree, has a corresponding spec of None, that argument is not
    # sharded."
    source=f"{_API}#flax.nnx.shard_map",
    needs={"shard_map", "transforms_take_trees"},
    case=programs_in_ways(WITHOUT_SPECS, steps=FIXED, alias=False).filter(without_sharing),
)
def none_is_a_spec_of_shard_map(lib, case):
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(arrays(other.run(other.program, other.module, other.x)), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "a loop that runs a program once has its effect on a module, unrolled, reversed or of a given "
    "length",
    source=f"{_API}#flax.nnx.scan",
    level="should",
    needs={"scan"},
    case=programs_in_ways((*LOOP_OPTIONS, *GRAPH_LOOPS), steps=FIXED, nodes=True),
)
def options_of_loops_change_no_effect(lib, case):
    other = case.rebuild()
    case.program(case.module, case.x)
    other.run(other.program, other.module, other.x)
    same_graph(other.module, case.module)


@law(
    "a program that changes values has the same result and effect with each option of a transform "
    "that takes modules as trees, or propagates no change of their graph",
    source=_TREES,
    needs={"transforms_take_trees", "jit_partial"},
    case=programs_in_ways(TREE_OPTIONS, steps=FIXED, alias=False, nodes=True).filter(
        without_sharing
    ),
)
def options_change_no_program_on_a_tree(lib, case):
    other = case.rebuild()
    for _ in range(2):
        wanted = case.program(case.module, case.x)
        same(arrays(other.run(other.program, other.module, other.x)), arrays(wanted))
        same_graph(other.module, case.module)


@law(
    "a program that doubles the Variables of a module has the same result and effect with all "
    "options of transforms that are to change neither, in graph mode and in tree mode",
    source=_API,
    level="should",
    needs={"transforms_take_trees", "jit_partial", "jit_partial_takes_static_arguments"},
    case=doubled_in_every_way((*FIXED_OPTIONS, *GRAPH_RESULTS, *TREE_OPTIONS)),
    parents=[options_change_no_repeated_program, options_change_no_program_on_a_tree],
)
def no_option_changes_a_program(lib, case):
    plain = case.rebuild()
    wanted = plain.program(plain.module, plain.x)
    for run in case.runs:
        other = case.rebuild()
        same(run(other.program, other.module, other.x), wanted)
        same_graph(other.module, plain.module)


@law(
    "a loop that takes a module as a tree, or propagates no change of its graph, and runs a "
    "program once has its effect on the module",
    source=_TREES,
    needs={"transforms_take_trees"},
    case=programs_in_ways(TREE_LOOPS, steps=FIXED, alias=False, nodes=True).filter(without_sharing),
)
def each_loop_changes_a_tree(lib, case):
    other = case.rebuild()
    case.program(case.module, case.x)
    other.run(other.program, other.module, other.x)
    same_graph(other.module, case.module)
