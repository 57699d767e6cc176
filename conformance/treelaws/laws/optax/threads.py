"""Optax: steps that threads make at the same time."""

from __future__ import annotations

from hypothesis_pytrees.core.together import together
from hypothesis_pytrees.optax.thread_work import optimiser_work
from treelaws.core.law import Topic
from treelaws.laws import _threads as threads

law = Topic("optax.threads", "Optax: calls of threads at the same time", family="optax")


@law(
    "threads that step with optimisers of their own at the same time have the results that one has",
    source="https://docs.jax.dev/en/latest/concurrency.html",
    level="should",
    needs={"adam", "sgd", "apply_updates"},
    case=together(optimiser_work()),
)
def optimisers_step_in_threads(lib, case):
    threads.same_as_alone(case.works, case.rebuild().works)
