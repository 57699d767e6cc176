"""Equinox: calls that threads make at the same time."""

from __future__ import annotations

import warnings

from hypothesis_pytrees.core.together import together
from hypothesis_pytrees.equinox.thread_work import (
    call_work,
    counts,
    donations,
    errors,
    one_function,
    tree_work,
)
from treelaws.core.law import Topic
from treelaws.equality import equal, true
from treelaws.laws import _threads as threads

law = Topic("equinox.threads", "Equinox: calls of threads at the same time", family="equinox")
_JAX = "https://docs.jax.dev/en/latest/concurrency.html"
_DOCS = "https://docs.kidger.site/equinox/api"
_ROUNDS = 3
# Each of these races shows in one round of three.
_MANY = 60


@law(
    "threads that make, change, save and compare Modules and trees at the same time have the "
    "results that one has",
    source=_JAX,
    level="observed",
    needs={"Module", "tree_at", "partition"},
    case=together(tree_work(), most=6),
)
def modules_are_used_by_threads(lib, case):
    """JAX allows calls of its functions in threads; Equinox does not speak of threads."""
    threads.same_as_alone(case.works, case.works, rounds=_ROUNDS)


@law(
    "threads that call transformed functions at the same time have the results that one has",
    source=_JAX,
    level="should",
    needs={"filter_jit", "filter_grad", "filter_vmap"},
    case=together(call_work()),
)
def functions_are_called_by_threads(lib, case):
    threads.same_as_alone(case.works, case.rebuild().works, interval=threads.LONG_INTERVAL)


@law(
    "threads that call one transformed function at the same time for the first time have the "
    "result that one has",
    source=_JAX,
    level="should",
    needs={"filter_jit"},
    case=one_function(),
)
def one_function_is_called_by_threads(lib, case):
    threads.same_as_alone(case.works, case.rebuild().works, interval=threads.LONG_INTERVAL)


@law(
    "an error of `error_if` has its own message, also if another thread raises one at the same "
    "time",
    source=f"{_DOCS}/errors/#equinox.error_if",
    level="should",
    needs={"error_if"},
    case=errors(),
)
def errors_have_the_message_of_their_thread(lib, case):
    # Compiled one after the other, they later raise at the same time.
    for works in [[work] for work in case.works], *[[case.works]] * _MANY:
        ends = [end for some in works for end in threads.at_once(some)]
        found = [text in str(end.error) for text, end in zip(case.messages, ends, strict=True)]
        true(all(found), [str(end.error) for end in ends], "each its own message")


@law(
    "calls that donate arguments and overlap in two threads leave the filters of warnings alone",
    source=f"{_DOCS}/transformations/#equinox.filter_jit",
    level="should",
    needs={"filter_jit"},
    case=donations(),
)
def donations_leave_the_warnings_filters(lib, case):
    before = list(warnings.filters)
    with warnings.catch_warnings():
        threads.results(case.works)
        equal(warnings.filters == before, True)


@law(
    "`get_num_traces` counts each call, whichever thread makes it",
    source=f"{_DOCS}/debug/#equinox.debug.get_num_traces",
    level="should",
    needs={"debug.assert_max_traces", "debug.get_num_traces"},
    case=counts(),
)
def traces_are_counted_in_threads(lib, case):
    counted = lib.debug.assert_max_traces(case.function, max_traces=None)
    calls = lambda: [counted(*case.args) for _ in range(100)]
    for done in range(1, _MANY + 1):
        threads.results([calls] * case.count)
        equal(lib.debug.get_num_traces(counted), 100 * case.count * done)
