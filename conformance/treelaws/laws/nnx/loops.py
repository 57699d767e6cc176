"""Flax NNX: transformed loops over modules have the same effect as Python loops."""

from __future__ import annotations

import jax.numpy as jnp
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.nnx.module_programs import FIXED, module_programs
from treelaws.core.law import Topic
from treelaws.equality import same

from ._model import same_graph

law = Topic("nnx.loops", "Flax NNX: loops", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_SEVERAL = "https://github.com/google/flax/pull/4390"


@st.composite
def _loops(draw: st.DrawFn, *, several: bool = False) -> Recipe:
    """Draw a `module`, a `program` that keeps its structure, and the number of `times`.

    Args:
        several: also draw `module_2` and `module_3`; default only one module.
    """
    scope = Scope()
    scope.include(draw(module_programs(steps=FIXED, most=2, nodes=True)))
    for _ in range(2 if several else 0):
        scope.include(draw(module_programs(steps=FIXED, most=1, nodes=True)))
    scope.bind("times", str(draw(st.integers(0, 3))))
    return scope.recipe()


@st.composite
def _scans(draw: st.DrawFn) -> Recipe:
    """Draw a loop, whether it is to `reverse`, and the `options` of a scan that say so."""
    scope = Scope()
    scope.include(draw(_loops()))
    reverse = scope.bind("reverse", str(draw(st.booleans())))
    unroll = draw(st.sampled_from(("1", "2", "True", "False")))
    length = draw(st.sampled_from(("", ", 'length': times")))
    scope.note(f"unroll:{unroll}")
    scope.bind("options", f"{{'reverse': {reverse}, 'unroll': {unroll}{length}}}")
    return scope.recipe()


@law(
    "`fori_loop` over a module has the same effect as a Python `for` loop",
    source=f"{_API}#flax.nnx.fori_loop",
    needs={"fori_loop"},
    case=_loops(),
)
def fori_loop_repeats_the_program(lib, case):
    other = case.rebuild()
    for _ in range(case.times):
        case.program(case.module, case.x)
    body = lambda _, module: (case.program(module, case.x), module)[1]
    lib.fori_loop(0, case.times, body, other.module)
    same_graph(other.module, case.module)


@law(
    "`fori_loop` returns the module as a Python `for` loop leaves it",
    source=f"{_API}#flax.nnx.fori_loop",
    needs={"fori_loop"},
    case=_loops(),
    parents=[fori_loop_repeats_the_program],
)
def fori_loop_returns_the_last_module(lib, case):
    other = case.rebuild()
    for _ in range(case.times):
        case.program(case.module, case.x)
    body = lambda _, module: (case.program(module, case.x), module)[1]
    same_graph(lib.fori_loop(0, case.times, body, other.module), case.module)


@law(
    "`while_loop` over a module has the same effect as a Python `while` loop",
    source=f"{_API}#flax.nnx.while_loop",
    needs={"while_loop"},
    case=_loops(),
)
def while_loop_repeats_the_program(lib, case):
    other = case.rebuild()
    for _ in range(case.times):
        case.program(case.module, case.x)
    body = lambda held: ((case.program(held[0], case.x), held[0])[1], held[1] - 1)
    lib.while_loop(lambda held: held[1] > 0, body, (other.module, jnp.int32(case.times)))
    same_graph(other.module, case.module)


@law(
    "`while_loop` returns the last values of its carry, as a Python `while` loop has them",
    source=f"{_API}#flax.nnx.while_loop",
    needs={"while_loop"},
    case=_loops(),
)
def while_loop_returns_the_last_values(lib, case):
    other, wanted = case.rebuild(), sum(range(case.times + 1), start=jnp.int32(0))
    for _ in range(case.times):
        other.program(other.module, other.x)
    step = lambda module: (case.program(module, case.x), module)[1]
    body = lambda held: (step(held[0]), held[1] - 1, held[2] + held[1])
    start = (case.module, jnp.int32(case.times), jnp.int32(0))
    module, left, total = lib.while_loop(lambda held: held[1] > 0, body, start)
    same((left, total), (jnp.int32(0), wanted))
    same_graph(module, other.module)


@law(
    "a loop over several modules changes each module as a loop over that module does",
    source=_SEVERAL,
    level="should",
    needs={"while_loop", "fori_loop"},
    case=_loops(several=True),
)
def a_loop_takes_several_modules(lib, case):
    other, programs = case.rebuild(), (case.program, case.program_2, case.program_3)
    for _ in range(2 * case.times):
        _run(programs, _modules(case), case.x)
    body = lambda held: (_run(programs, held[0], case.x), held[1] - 1)
    held = (_modules(other), jnp.int32(case.times))
    lib.while_loop(lambda held: held[1] > 0, body, held)
    lib.fori_loop(0, case.times, lambda _, held: _run(programs, held, case.x), _modules(other))
    same_graph(_modules(other), _modules(case))


@law(
    "a loop whose body changes nothing does not change the modules",
    source=_SEVERAL,
    level="should",
    needs={"while_loop", "fori_loop"},
    case=_loops(several=True),
)
def an_idle_loop_changes_nothing(lib, case):
    held = (*_modules(case), jnp.int32(case.times))
    lib.while_loop(lambda held: held[-1] > 0, lambda held: (*held[:-1], held[-1] - 1), held)
    lib.fori_loop(0, case.times, lambda _, held: held, _modules(case))
    same_graph(_modules(case), _modules(case.rebuild()))


@law(
    "`scan` with a module as the carry has the same effect as a Python loop over the inputs",
    source=f"{_API}#flax.nnx.scan",
    needs={"scan", "Carry"},
    case=_loops(),
)
def scan_carries_a_module(lib, case):
    other, inputs = case.rebuild(), jnp.arange(2)
    body = lambda module, x: (module, (case.program(module, case.x), x)[1])
    axes = {"in_axes": (lib.Carry, 0), "out_axes": (lib.Carry, 0)}
    for _ in range(2):
        case.program(case.module, case.x)
    module, outputs = lib.scan(body, **axes)(other.module, inputs)
    same(outputs, inputs)
    same_graph(module, case.module)
    same_graph(other.module, case.module)


@law(
    "`scan` takes the inputs and stores the outputs in their order, or from the last to the first "
    "if it is reversed, however it is unrolled",
    source=f"{_API}#flax.nnx.scan",
    needs={"scan", "Carry"},
    case=_scans(),
    weight=4,
)
def scan_keeps_the_order(lib, case):
    other, wanted, total = case.rebuild(), [0] * case.times, 0
    for x in reversed(range(case.times)) if case.reverse else range(case.times):
        case.program(case.module, case.x)
        total = wanted[x] = 3 * total + x + 1
    axes = {"in_axes": (lib.Carry, 0), "out_axes": (lib.Carry, 0)}
    start, inputs = (other.module, jnp.int32(0)), jnp.arange(case.times, dtype=jnp.int32)
    (_, last), found = lib.scan(_sums(other), **axes, **case.options)(start, inputs)
    same((last, found), (jnp.int32(total), jnp.array(wanted, dtype=jnp.int32)))
    same_graph(other.module, case.module)


def _sums(case):
    """Make a body that runs the program and adds to a sum, which is also its output."""

    def body(held, x):
        case.program(held[0], case.x)
        total = 3 * held[1] + x + 1
        return (held[0], total), total

    return body


def _modules(case):
    return (case.module, case.module_2, case.module_3)


def _run(programs, modules, x):
    for program, module in zip(programs, modules, strict=True):
        program(module, x)
    return modules
