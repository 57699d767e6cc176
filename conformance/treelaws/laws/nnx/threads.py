"""Flax NNX: calls that threads make at the same time, each with modules of its own."""

from __future__ import annotations

from hypothesis_pytrees.core.together import together
from hypothesis_pytrees.nnx.calls.thread_work import (
    first_calls,
    module_work,
    names,
    one_function,
    program_work,
    setting_work,
)
from treelaws.core.law import Topic
from treelaws.equality import equal, true
from treelaws.laws import _threads as threads

law = Topic("nnx.threads", "Flax NNX: calls of threads at the same time", family="nnx")
_JAX = "https://docs.jax.dev/en/latest/concurrency.html"
_SHARED = "https://github.com/google/flax/pull/3901"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx"
_ROUNDS = 3
# Each of these races shows in one round of two.
_MANY = 30
# This one shows in one round of twenty.
_VERY_MANY = 150


@law(
    "threads that make, split, change and print modules of their own at the same time have the "
    "results that one has",
    source=_SHARED,
    level="should",
    needs={"Module", "split", "merge", "clone", "state"},
    case=together(module_work()),
)
def modules_are_used_by_threads(lib, case):
    """The maintainers took a change that lets a thread split modules of a type of another."""
    threads.same_as_alone(case.works, case.works, rounds=_ROUNDS)


@law(
    "threads that run programs on modules of their own at the same time have the results and "
    "effects that one has",
    source=_JAX,
    level="should",
    needs={"jit"},
    case=together(program_work()),
)
def programs_are_run_by_threads(lib, case):
    threads.same_as_alone(case.works, case.rebuild().works, case.rebuild().works)


@law(
    "threads that call one transformed function at the same time for the first time, with modules "
    "of their own, have the results that one has",
    source=_JAX,
    level="should",
    needs={"jit"},
    case=one_function(),
)
def one_function_is_called_by_threads(lib, case):
    threads.same_as_alone(case.works, case.rebuild().works, interval=threads.LONG_INTERVAL)


@law(
    "a setting has an effect on its own thread only, whatever other threads set",
    source=f"{_CODE}/variablelib.py",
    level="should",
    needs={"use_eager_sharding"},
    case=together(setting_work(), most=6),
)
def settings_do_not_mix(lib, case):
    """Flax keeps them in a `threading.local`."""
    threads.same_as_alone(case.works, case.works, rounds=_ROUNDS)


@law(
    "the first calls of a process may be those of several threads",
    source=_JAX,
    level="should",
    needs={"jit", "tree_mode"},
    case=first_calls(),
)
def first_calls_are_made_by_threads(lib, case):
    for _ in range(_VERY_MANY):
        threads.results(case.again())


@law(
    "a name of Variables stands for one type, whichever thread asks for it first",
    source=f"{_CODE}/variablelib.py#L2264",
    level="should",
    needs={"variable_type_from_name", "variable_names_are_registered"},
    case=names(),
)
def a_name_stands_for_one_type(lib, case):
    """The code says of names and types that the mapping is one to one."""
    for _ in range(_MANY):
        name = case.fresh()
        ask = lambda name=name: lib.variable_type_from_name(
            name, base=case.base, allow_register=True
        )
        found = threads.results([ask] * case.count)
        equal(len({id(kind) for kind in found}), 1)


@law(
    "the name of a type of Variables is found while other threads register names",
    source=f"{_CODE}/variablelib.py#L2290",
    level="should",
    needs={"variable_name_from_type", "register_variable_name"},
    case=names(),
)
def names_are_found_while_others_register(lib, case):
    kind, name = type("ThreadKind", (case.base,), {}), case.fresh()
    lib.register_variable_name(name, kind)
    finds = lambda: [lib.variable_name_from_type(kind) for _ in range(50)]
    registers = lambda: [
        lib.register_variable_name(case.fresh(), type("ThreadOther", (case.base,), {}))
        for _ in range(30)
    ]
    for _ in range(_MANY):
        found = threads.results([finds, *[registers] * (case.count - 1)])[0]
        true(set(found) == {name}, found, name)
