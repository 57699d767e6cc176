"""JAX: one compiled function and the nodes of many threads."""

from __future__ import annotations

from hypothesis_pytrees.trees.calls.thread_nodes import nodes_of_threads
from treelaws.equality import equal
from treelaws.laws import _fresh as fresh

from .threads import law


@law(
    "threads that call one compiled function, each with a node or a static argument of its own, "
    "get the results of one thread",
    source="https://docs.jax.dev/en/latest/concurrency.html",
    needs={"jit"},
    case=nodes_of_threads(),
)
def one_function_takes_the_nodes_of_threads(lib, case):
    wanted = [[float(call())] * 2 for call in case.calls(lib.jit)]
    equal(fresh.in_threads(lib, case.text), [wanted] * 12)
