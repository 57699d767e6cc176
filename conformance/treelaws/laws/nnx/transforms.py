"""Flax NNX: programs on modules have the same effect inside a transform as outside."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees import variables
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from hypothesis_pytrees.nnx.module_programs import FIXED, module_programs
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import same, true

from ._model import kind_of, references, same_graph, variables_of

law = Topic("nnx.transforms", "Flax NNX: transforms", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"
_UPDATES = f"{_GUIDE}#graph-updates-propagation"
_STATE = f"{_GUIDE}#state-propagation"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_SHARING = "https://flax.readthedocs.io/en/latest/guides/pytree.html#reference-sharing"
_PAIRS = variables(pool(tuple(REAL_ARRAYS[:1])))
_SIZED = module_programs(steps=FIXED[:2], leaves=_PAIRS, layers=False, without=["nnx:rngs"])
_FIXED = module_programs(steps=FIXED, count=2, most=2, nodes=True)


@law(
    "a program has the same result and the same effect on a module under `jit` as outside",
    source=_UPDATES,
    needs={"jit"},
    case=module_programs(cycles=True),
)
def jit_does_what_the_program_does(lib, case):
    """Programs add, remove, swap and share attributes, and write values and metadata."""
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(lib.jit(other.program)(other.module, other.x), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "running a jitted program several times has the same effect as running it without `jit`",
    source=_UPDATES,
    needs={"jit"},
    case=module_programs(steps=FIXED, cycles=True),
    parents=[jit_does_what_the_program_does],
)
def jit_does_it_each_time(lib, case):
    other = case.rebuild()
    compiled = lib.jit(other.program)
    for _ in range(3):
        wanted = case.program(case.module, case.x)
        same(compiled(other.module, other.x), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "`jit` traces once for equal modules if the program does not change their structure",
    source=_UPDATES,
    needs={"jit"},
    case=module_programs(steps=FIXED, cycles=True),
)
def jit_does_not_trace_again(lib, case):
    other, traced = case.rebuild(), []
    compiled = lib.jit(lambda module, x: (traced.append(x), case.program(module, x))[1])
    for one in (case, case, other):
        compiled(one.module, one.x)
    true(len(traced) == 1, f"{len(traced)} traces", "1 trace")


@law(
    "a module returned by a jitted function is the same object that was passed in",
    source=_SHARING,
    needs={"jit"},
    case=module_programs(cycles=True, most=1),
)
def jit_returns_the_module_itself(lib, case):
    back, inner = lib.jit(lambda module: (module, [module]))(case.module)
    true(back is case.module and inner[0] is back, back, "the module that was passed in, twice")


@law(
    "an object shared by two arguments of a jitted function stays shared and changes once",
    source=f"{_GUIDE}#transformations",
    needs={"jit"},
    case=module_programs(steps=FIXED),
)
def jit_shares_what_its_arguments_share(lib, case):
    other = case.rebuild()
    both = lambda one: {"all": one.module, "parts": _parts(one.module)}
    wanted = case.program(case.module, case.x)
    held = both(other)
    got = lib.jit(lambda held, x: other.program(held["all"], x))(held, other.x)
    same(got, arrays(wanted))
    same_graph(held, both(case))


@law(
    "a program under `remat` has the same effect as without it",
    source=f"{_API}#flax.nnx.remat",
    needs={"remat"},
    case=module_programs(steps=FIXED, nodes=True),
)
def remat_does_what_the_program_does(lib, case):
    other = case.rebuild()
    wanted = case.program(case.module, case.x)
    same(lib.remat(other.program)(other.module, other.x), arrays(wanted))
    same_graph(other.module, case.module)


@law(
    "`cond` changes the module as the branch chosen by its flag does",
    source=f"{_API}#flax.nnx.cond",
    needs={"cond"},
    case=_FIXED,
)
def cond_runs_one_of_two_programs(lib, case):
    other = case.rebuild()
    for flag in (True, False):
        (case.program if flag else case.program_2)(case.module, case.x)
        branches = (_silent(other.program), _silent(other.program_2))
        lib.cond(jnp.asarray(flag), *branches, other.module, other.x)
        same_graph(other.module, case.module)


@law(
    "`cond` takes the module as the only operand",
    source=f"{_API}#flax.nnx.cond",
    needs={"cond"},
    case=_FIXED,
    parents=[cond_runs_one_of_two_programs],
)
def cond_takes_one_operand(lib, case):
    other = case.rebuild()
    case.program_2(case.module, case.x)
    lib.cond(False, _on_x(other.program, other.x), _on_x(other.program_2, other.x), other.module)
    same_graph(other.module, case.module)


@law(
    "`switch` changes the module as the branch chosen by its index does",
    source=f"{_API}#flax.nnx.switch",
    needs={"switch"},
    case=_FIXED,
)
def switch_runs_one_of_several_programs(lib, case):
    other = case.rebuild()
    branches = [_silent(other.program), lambda module, x: None, _silent(other.program_2)]
    for index, program in ((2, case.program_2), (0, case.program)):
        program(case.module, case.x)
        lib.switch(jnp.asarray(index), branches, other.module, other.x)
        same_graph(other.module, case.module)


@law(
    "`grad` differentiates with respect to the Params only, as `jax.grad` does for arrays",
    source=f"{_API}#flax.nnx.grad",
    needs={"grad"},
    case=module_programs(steps=FIXED, most=1),
)
def grad_is_that_of_jax(lib, case):
    """The loss is the sum of squares, so the gradient of each Param is twice its value."""
    grads = lib.grad(lambda module: sum_of_squares(module))(case.module)
    params = [one for _, one in variables_of(case.module) if isinstance(one, lib.Param)]
    wanted = [value + value for value in values_of(params)]
    same(sorted_values(values_of(one for _, one in variables_of(grads))), sorted_values(wanted))


@law(
    "a program inside `grad` changes the module as it does outside",
    source=_STATE,
    needs={"grad"},
    case=module_programs(steps=FIXED),
)
def grad_propagates_updates(lib, case):
    other = case.rebuild()
    loss = lambda module, x: (other.program(module, x), sum_of_squares(module))[1]
    case.program(case.module, case.x)
    lib.grad(loss)(other.module, other.x)
    same_graph(other.module, case.module)


@law(
    "`value_and_grad` returns the value, the auxiliary data, and the gradients that `grad` returns",
    source=f"{_API}#flax.nnx.value_and_grad",
    needs={"value_and_grad"},
    case=module_programs(steps=FIXED),
)
def value_and_grad_gives_both(lib, case):
    loss = lambda module, x: (sum_of_squares(module), case.program(module, x))
    other = case.rebuild()
    wanted, aux = (sum_of_squares(other.module), other.program(other.module, other.x))
    grads = lib.grad(sum_of_squares)(case.rebuild().module)
    (value, given), got = lib.value_and_grad(loss, has_aux=True)(case.module, case.x)
    same((value, given), (wanted, arrays(aux)))
    same_graph(got, grads)
    same_graph(case.module, other.module)


@law(
    "`vmap` over a module runs the program on each slice of the module",
    source=f"{_API}#flax.nnx.vmap",
    needs={"vmap"},
    case=_SIZED,
)
def vmap_runs_on_each_slice(lib, case):
    """Every Variable has a leading axis of length two; the program works element by element."""
    other = case.rebuild()
    case.program(case.module, case.x)
    lib.vmap(_silent(other.program))(other.module, other.x)
    same_graph(other.module, case.module)


def arrays(outcomes):
    """Return the outcomes as jit returns them, with arrays in place of numbers."""
    return jtu.tree_map(jnp.asarray, outcomes)


def _silent(program):
    """Make a program return `None`, since branches must return the same structure."""
    return lambda module, x: (program(module, x), None)[1]


def _on_x(program, x):
    """Make a program a function of the module alone that returns `None`."""
    return lambda module: _silent(program)(module, x)


def _parts(module):
    """List the modules inside a module."""
    held = (one for _, one in references(module) if one is not module)
    return [one for one in held if kind_of(type(one)) == "object"]


def values_of(variables):
    return jtu.tree_leaves([nnx_api.raw_value(one) for one in variables])


def sum_of_squares(module):
    values = values_of(one for _, one in variables_of(module))
    real = [leaf for leaf in values if jnp.issubdtype(leaf.dtype, jnp.floating)]
    return sum((jnp.sum(leaf.astype(jnp.float32) ** 2) for leaf in real), start=jnp.float32(0))


def sorted_values(values):
    return sorted(values, key=lambda value: (value.shape, str(value.dtype), value.tobytes()))
