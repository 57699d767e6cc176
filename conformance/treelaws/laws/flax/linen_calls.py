"""Flax Linen: loops, branches and wrappers, compared with the same module without them."""

from __future__ import annotations

from hypothesis_pytrees.flax.lifted.calls import branches
from hypothesis_pytrees.flax.lifted.repeats import repeated_modules, stacked_modules, while_loops
from hypothesis_pytrees.flax.lifted.wrappers import wrapped_modules
from treelaws.equality import same

from ._linen_axes import stacked
from .linen import TRANSFORMS, law


@law(
    "`nn.while_loop` in a module leaves the carry and the variables that a loop of Python leaves, "
    "if its body draws no random numbers and creates no variables, and the call may change what "
    "it carries",
    source=f"{TRANSFORMS}while_loop",
    level="should",
    needs={"linen.while_loop"},
    case=while_loops(),
)
def while_loop_is_a_loop_of_python(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))


@law(
    "`nn.cond` and `nn.switch` in a module return what the chosen branch returns, and leave the "
    "variables that it leaves, if no branch draws random numbers, and all create the same "
    "variables and return the same types",
    source=f"{TRANSFORMS}switch",
    level="should",
    needs={"linen.cond", "linen.switch"},
    case=branches(),
)
def the_chosen_branch_is_called(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))


@law(
    "`nn.remat_scan` calls a module that draws no random numbers as often as the product of "
    "`lengths` says, each time with what the last call carries, if repetitions share or carry all "
    "variables and may change those that they carry",
    source=f"{TRANSFORMS}remat_scan",
    needs={"linen.remat_scan"},
    case=repeated_modules(),
)
def remat_scan_repeats_a_module(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))


@law(
    "without roles of variables, each repetition of `nn.remat_scan` has its own, along a leading "
    "axis for each of the `lengths`, if the module draws no random numbers",
    source=f"{TRANSFORMS}remat_scan",
    level="should",
    needs={"linen.remat_scan"},
    case=stacked_modules(),
    parents=[remat_scan_repeats_a_module],
)
def remat_scan_stacks_variables(lib, case):
    got = case.lifted.apply(stacked(case.lengths, case.each), *case.args, **case.call)
    (carry,), changes = case.args, []
    for variables in case.each:
        carry, changed = case.plain.apply(variables, carry, **case.call)
        changes.append(changed)
    same(got, (carry, stacked(case.lengths, changes)))


@law(
    "`nn.scan` and `nn.remat_scan` read the variables that they carry where the call may not "
    "change them, if the module draws no random numbers",
    source=f"{TRANSFORMS}scan",
    level="should",
    needs={"linen.scan", "linen.remat_scan"},
    case=repeated_modules(reads=True),
    parents=[remat_scan_repeats_a_module],
)
def loops_read_what_the_call_may_not_change(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))


@law(
    "a module that draws no random numbers gives the same results and variables under `nn.jit`, "
    "`nn.remat` or an `nn.map_variables` without functions",
    source=f"{TRANSFORMS}jit",
    level="should",
    needs={"linen.jit", "linen.remat", "linen.map_variables"},
    case=wrapped_modules(),
)
def wrapped_modules_compute_the_same(lib, case):
    got = case.lifted.apply(case.variables, *case.args, **case.call)
    same(got, case.plain.apply(case.variables, *case.args, **case.call))
