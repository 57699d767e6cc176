"""JAX: calls that threads make at the same time."""

from __future__ import annotations

from hypothesis_pytrees.core.together import together
from hypothesis_pytrees.trees.calls.thread_work import (
    one_function,
    one_tree,
    setting_work,
    transform_work,
    tree_work,
)
from treelaws.core.law import Topic
from treelaws.laws import _threads as threads

law = Topic("jax.threads", "JAX: calls of threads at the same time", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/concurrency.html"
_ROUNDS = 5


@law(
    "threads that flatten, map, compare and register trees at the same time have the results that "
    "one has",
    source=_DOCS,
    needs={"tree_util.tree_map"},
    case=together(tree_work(), most=6),
)
def trees_are_used_by_threads(lib, case):
    threads.same_as_alone(case.works, case.works, rounds=_ROUNDS)


@law(
    "threads that use one tree at the same time have the results that one has",
    source=_DOCS,
    needs={"tree_util.tree_map"},
    case=one_tree(),
)
def one_tree_is_used_by_threads(lib, case):
    threads.same_as_alone(case.works, case.works, rounds=_ROUNDS)


@law(
    "threads that transform functions of trees at the same time have the results that one has",
    source=_DOCS,
    needs={"jit", "grad", "vmap"},
    case=together(transform_work()),
)
def functions_are_transformed_by_threads(lib, case):
    threads.same_as_alone(case.works, case.rebuild().works)


@law(
    "threads that call one transformed function at the same time for the first time have the "
    "result that one has",
    source=_DOCS,
    needs={"jit"},
    case=one_function(),
)
def one_function_is_called_by_threads(lib, case):
    threads.same_as_alone(case.works, case.rebuild().works)


@law(
    "a context manager of a setting has an effect on its own thread only",
    source="https://github.com/jax-ml/jax/blob/jax-v0.7.2/jax/_src/config.py",
    level="should",
    needs={"default_matmul_precision"},
    case=together(setting_work(), most=6),
)
def settings_are_those_of_a_thread(lib, case):
    """The docstring of the function that makes these context managers says so."""
    threads.same_as_alone(case.works, case.works, rounds=_ROUNDS)
