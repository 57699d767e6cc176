"""Flax NNX: `pop` removes Variables from a module."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
import numpy as np

from treelaws.core.law import Topic
from treelaws.equality import equal, true

from ._inputs import is_variable, pop_cases
from ._model import described, same_graph, same_references, same_rows, variables_of

law = Topic("nnx.pop", "Flax NNX: pop", family="nnx")
_POP = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.pop"
_LEFT = "https://github.com/google/flax/pull/5133"
_CASES = pop_cases()


@law(
    "`pop(module, *filters)` returns the States that `state(module, *filters)` would return",
    source=_POP,
    needs={"pop", "state"},
    case=_CASES,
)
def pop_gives_what_matches(lib, case):
    wanted = jtu.tree_map(lambda leaf: leaf, lib.state(case.module, *case.filters))
    same_graph(lib.pop(case.module, *case.filters), wanted)


@law(
    "`pop` of a dict of modules takes from a module what `pop` of that module takes",
    # The document says "a graph node object"; nothing in Flax pops from a dict.
    source=_POP,
    level="observed",
    needs={"pop", "to_flat_state", "clone"},
    case=_CASES,
    parents=[pop_gives_what_matches],
)
def pop_takes_from_modules_in_a_dict(lib, case):
    other = lib.clone(case.module)
    wanted = jtu.tree_leaves(lib.pop(other, *case.filters), is_leaf=is_variable)
    popped = lib.pop({"held": case.module}, *case.filters)
    same_graph(jtu.tree_leaves(popped, is_leaf=is_variable), wanted)
    same_graph(case.module, other)


@law(
    "after `pop(module, *filters)`, no Variable of the module matches the filters",
    source=_POP,
    needs={"pop", "state"},
    case=_CASES,
)
def no_match_is_left(lib, case):
    lib.pop(case.module, *case.filters)
    left = lib.state(case.module, tuple(case.filters))
    true(len(left) == 0, left, "no Variable that matches the filters")


@law(
    "`pop` keeps the Variables that match none of the filters",
    source=_POP,
    needs={"pop", "state"},
    case=_CASES,
)
def pop_leaves_the_others(lib, case):
    matching = lib.filterlib.to_predicate(tuple(case.filters))
    wanted = [pair for pair in variables_of(case.module) if not matching(*pair)]
    # What matches at one path of several is not spoken of: it may stay at the others.
    others = {id(variable) for _, variable in wanted}
    lib.pop(case.module, *case.filters)
    same_references([pair for pair in variables_of(case.module) if id(pair[1]) in others], wanted)


@law(
    "after `pop`, the module can be split, merged and cloned",
    source=_LEFT,
    level="should",
    needs={"pop", "split", "merge", "clone"},
    case=_CASES,
)
def a_module_stays_whole_without_what_was_popped(lib, case):
    lib.pop(case.module, *case.filters)
    wanted = described(case.module)
    same_rows(described(lib.merge(*lib.split(case.module))), wanted)
    same_rows(described(lib.clone(case.module)), wanted)


@law(
    "after `pop`, the module can be printed",
    source=_LEFT,
    level="should",
    needs={"pop"},
    case=pop_cases(printed=True),
)
def a_module_without_what_was_popped_is_printed(lib, case):
    lib.pop(case.module, *case.filters)
    true(type(case.module).__name__ in repr(case.module), repr(case.module), "the type's name")


@law(
    "setting a Variable and popping it restores the GraphDef of the module",
    source=_LEFT,
    level="should",
    needs={"pop", "graphdef"},
    case=_CASES,
)
def what_was_set_and_popped_leaves_no_trace(lib, case):
    wanted = lib.graphdef(case.module)
    case.module.popped_again = case.kind(jax.device_put(np.float32(1.0)))
    lib.pop(case.module, case.kind)
    equal(lib.graphdef(case.module), wanted)
