"""Flax Linen: loops, branches and wrappers, compared with the same module without them."""

from __future__ import annotations

from hypothesis_pytrees.flax.lifted.calls import branches, repeated_modules, while_loops
from hypothesis_pytrees.flax.lifted.wrappers import wrapped_modules
from treelaws.equality import same

from .linen import TRANSFORMS, law


@law(
    "`nn.while_loop` in a module leaves the carry and the variables that a loop of Python leaves, "
    "if its body draws no random numbers and creates no variables",
    source=f"{TRANSFORMS}while_loop",
    level="should",
    needs={"linen.while_loop"},
    case=while_loops(),
    weight=0.3,
)
def while_loop_is_a_loop_of_python(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))


@law(
    "`nn.cond` and `nn.switch` in a module return what the chosen branch returns, and leave the "
    "variables that it leaves, if no branch draws random numbers",
    source=f"{TRANSFORMS}switch",
    level="should",
    needs={"linen.cond", "linen.switch"},
    case=branches(),
    weight=0.3,
)
def the_chosen_branch_is_called(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))


@law(
    "`nn.remat_scan` calls a module that draws no random numbers as often as the product of "
    "`lengths` says, each time with what the last call carries",
    source=f"{TRANSFORMS}remat_scan",
    needs={"linen.remat_scan"},
    case=repeated_modules(),
    weight=0.2,
)
def remat_scan_repeats_a_module(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))


@law(
    "a module that draws no random numbers gives the same results and variables under `nn.jit`, "
    "`nn.remat`, `nn.add_metadata_axis` or an `nn.map_variables` without functions",
    source=f"{TRANSFORMS}jit",
    level="should",
    needs={"linen.jit", "linen.remat", "linen.map_variables", "linen.add_metadata_axis"},
    case=wrapped_modules(),
    weight=0.5,
)
def wrapped_modules_compute_the_same(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))
