"""Flax NNX: arguments that are bound before a call, and modules with arrays beside Variables."""

from __future__ import annotations

import dataclasses
import functools

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from hypothesis_pytrees.nnx.calls.partial_calls import CACHED, partial_calls
from hypothesis_pytrees.nnx.calls.program_ways import AS_A_TREE, FIXED_PROGRAM, programs_in_ways
from hypothesis_pytrees.nnx.module_programs import FIXED
from hypothesis_pytrees.nnx.variables import variables
from treelaws.equality import equal, same

from ._inputs import without_sharing
from ._model import same_graph
from .transforms import arrays, jit_does_it_each_time, law

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_STATE = "https://flax.readthedocs.io/en/latest/guides/transforms.html#state-propagation"
_ARRAYS = pool(tuple(REAL_ARRAYS))


def _bare(recipe):
    return dataclasses.replace(recipe, features=recipe.features | {"attribute:array"})


# Modules that hold arrays beside their Variables.
_LEAVES = st.one_of(variables(_ARRAYS), _ARRAYS.map(_bare))


@law(
    "`jit_partial` takes static arguments by their number among those of the function, or by name, "
    "however many arguments it binds",
    source=f"{_API}#flax.nnx.jit_partial",
    level="observed",
    needs={"jit_partial", "jit_partial_takes_static_arguments"},
    case=partial_calls("static"),
)
def static_arguments_are_counted_from_the_first(lib, case):
    wanted = case.function(*case.args, **case.named)
    bound, rest = case.args[: case.many], case.args[case.many :]
    same(
        lib.jit_partial(case.function, *bound, **case.options, **case.mode)(*rest, **case.named),
        wanted,
    )


@law(
    "`jit_partial` donates the buffers of no other arguments than it is told to",
    source=f"{_API}#flax.nnx.jit_partial",
    level="should",
    needs={"jit_partial", "jit_partial_takes_static_arguments"},
    case=partial_calls("donate"),
)
def other_arguments_are_not_donated(lib, case):
    """A donated array is deleted, if its buffer can hold a result."""
    together = lambda *args, **named: jtu.tree_map(lambda leaf: leaf + 1, (args, named))
    function = functools.wraps(case.function)(together)
    bound, rest = case.args[: case.many], case.args[case.many :]
    lib.jit_partial(function, *bound, **case.options, **case.mode)(*rest, **case.named)
    given = {**dict(zip(case.names, case.args, strict=False)), **case.named}
    equal([name for name in given if given[name].is_deleted() and name not in case.meant], [])


@law(
    "a function with cached arguments has the same result and effect as with its arguments, again "
    "and again",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html#flax.nnx.cached_partial",
    level="should",
    needs={"cached_partial", "bare_arrays"},
    case=programs_in_ways(CACHED, leaves=_LEAVES, steps=FIXED),
    parents=[jit_does_it_each_time],
)
def cached_arguments_are_the_arguments(lib, case):
    other = case.rebuild()
    run = other.run(other.program, other.module, other.x)
    for _ in range(2):
        wanted = case.program(case.module, case.x)
        same(run(), arrays(wanted))
        same_graph(other.module, case.module)


@law(
    "a program has the same result and effect in each transform on a module that holds arrays "
    "beside its Variables",
    source=_STATE,
    level="should",
    needs={"jit", "bare_arrays"},
    case=programs_in_ways(
        (*FIXED_PROGRAM, *AS_A_TREE), leaves=_LEAVES, steps=FIXED, alias=False
    ).filter(without_sharing),
    parents=[jit_does_it_each_time],
)
def arrays_stand_beside_variables(lib, case):
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(arrays(other.run(other.program, other.module, other.x)), arrays(wanted))
    same_graph(other.module, case.module)
