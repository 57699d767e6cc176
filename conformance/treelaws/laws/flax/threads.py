"""Flax: calls that threads make at the same time, and iterators that another thread reads."""

from __future__ import annotations

import warnings

from hypothesis_pytrees.core.together import together
from hypothesis_pytrees.flax.thread_work import prefetched, saved_work
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws import _threads as threads

law = Topic("flax.threads", "Flax: calls of threads at the same time", family="flax")
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax"
_ROUNDS = 3
# An error of an iterator is lost if the thread that reads it is the faster one.
_MANY = 20


@law(
    "threads that make structs, change dicts and save states at the same time have the results and "
    "the errors that one has",
    source=f"{_CODE}/serialization.py#L32",
    level="should",
    needs={"struct.dataclass", "serialization.from_state_dict", "core.freeze"},
    case=together(saved_work(), most=6),
)
def states_are_saved_by_threads(lib, case):
    """The place of an error is kept in a `threading.local`."""
    threads.same_as_alone(case.works, case.works, rounds=_ROUNDS)


@law(
    "an iterator that is read ahead gives its items in their order, and the error that ends it",
    source=f"{_CODE}/training/prefetch_iterator.py#L21",
    level="should",
    needs={"training.prefetch_iterator.PrefetchIterator"},
    case=prefetched(),
)
def items_that_are_read_ahead_are_the_items(lib, case):
    read_ahead = lib.training.prefetch_iterator.PrefetchIterator
    for _ in range(_MANY):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            items = read_ahead(case.items(), buffer_size=case.size)
        same(case.read(items), case.read(case.items()))
