"""Optax: functions of a batch that are called on one microbatch after another."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.microbatches import (
    empty_batches,
    functions_of_rows,
    microbatches,
    named_batches,
    reshaped_batches,
)
from hypothesis_pytrees.optax.rules.examples import examples
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._inputs import DOCS, close

law = Topic("optax.microbatching", "Optax: microbatches", family="optax")
# "The batch size is random, and possibly empty"; tested by `test_zero_batch_size_microbatch`.
_EMPTY = "https://github.com/google-deepmind/optax/commit/26ba03c0b4ec86aa0b205dcb01c294c3fa3305b1"
_PAGE = f"{DOCS}microbatching.html#optax.microbatching"


@law(
    "`microbatch` gives what the function gives for the whole batch, where sums are added up, "
    "means averaged and rows put in order",
    source=f"{_PAGE}.microbatch",
    needs={"microbatch"},
    case=microbatches(),
)
def microbatches_give_what_the_batch_gives(lib, case):
    fun = lib.microbatch(case.fun, accumulator=case.accumulator, **case.options)
    close(fun(*case.args, **case.kwargs), case.fun(*case.args, **case.kwargs))


@law(
    "`microbatch` gives what the function gives for a batch without rows: sums of zero, no rows",
    source=_EMPTY,
    needs={"microbatch"},
    level="should",
    case=empty_batches(),
    parents=(microbatches_give_what_the_batch_gives,),
)
def a_batch_may_have_no_rows(lib, case):
    fun = lib.microbatch(case.fun, argnums=0, accumulator=case.accumulator, **case.options)
    same(fun(case.batch), case.fun(case.batch))


@law(
    "a function of microbatches takes each argument by its position or by its name, as the "
    "function does that it is made of",
    # "Consumes the same args and kwargs as fun."
    source=f"{_PAGE}.microbatch",
    needs={"microbatch"},
    level="should",
    case=named_batches(),
)
def a_batch_is_given_by_position_or_by_name(lib, case):
    values = list(case.given.values())
    named = dict(list(case.given.items())[case.positional :])
    close(case.made(*values[: case.positional], **named), case.plain(*values))


@law(
    "`num_real_microbatches` makes `microbatch` stop after so many microbatches, of which a sum "
    "and a running mean then are",
    source=f"{_PAGE}.microbatch",
    needs={"microbatch"},
    level="should",
    case=microbatches(early=True),
    parents=(microbatches_give_what_the_batch_gives,),
)
def microbatches_after_the_real_ones_do_not_count(lib, case):
    options = {**case.options, "num_real_microbatches": case.real}
    fun = lib.microbatch(case.fun, accumulator=case.accumulator, **options)
    close(fun(*case.args, **case.kwargs), case.fun(*case.first_args, **case.first_kwargs))


@law(
    "`reshape_batch_axis` splits the rows in column-major order: of `n` microbatches, the first "
    "holds each `n`-th row",
    source=f"{_PAGE}.reshape_batch_axis",
    needs={"microbatching.reshape_batch_axis"},
    case=reshaped_batches(),
)
def rows_are_dealt_to_the_microbatches(lib, case):
    def dealt(leaf):
        step = case.rows // case.size
        each = [np.arange(case.rows)[start::step] for start in range(step)]
        return jnp.stack([jnp.take(leaf, rows, case.axis) for rows in each], case.axis)

    got = lib.microbatching.reshape_batch_axis(case.tree, case.size, case.axis)
    same(got, jtu.tree_map(dealt, case.tree))


@law(
    "`microbatch` raises ValueError for a size that does not divide the batch",
    source=f"{_PAGE}.microbatch",
    needs={"microbatch"},
    level="should",
    case=reshaped_batches(),
)
def a_size_that_does_not_divide_is_refused(lib, case):
    for size in range(2, case.rows + 2):
        fun = lib.microbatch(lambda tree: tree, 0, size, in_axes=case.axis)
        if case.rows % size:
            refuses(ValueError, lambda fun=fun: fun(case.tree))


@law(
    "`micro_vmap` gives what `jax.vmap` gives, for each size of microbatches that divides the "
    "number of rows, and without one",
    # Its stricter requirements for `in_axes` are not named, and it refers to `jax.vmap`.
    source=f"{_PAGE}.micro_vmap",
    needs={"microbatching.micro_vmap"},
    level="should",
    case=functions_of_rows(),
)
def micro_vmap_is_vmap(lib, case):
    fun = lib.microbatching.micro_vmap(case.fun, case.in_axes, microbatch_size=case.size)
    wanted = jax.vmap(case.fun, case.in_axes)(*case.args, **case.kwargs)
    close(fun(*case.args, **case.kwargs), wanted)


@law(
    "`micro_vmap` adds up, averages or keeps the results of all rows, as its accumulator says",
    source=f"{_PAGE}.micro_vmap",
    needs={"microbatching.micro_vmap"},
    level="should",
    case=functions_of_rows(),
    parents=(micro_vmap_is_vmap,),
)
def results_of_rows_are_accumulated(lib, case):
    options = {"microbatch_size": case.size, "accumulator": case.accumulator}
    fun = lib.microbatching.micro_vmap(case.fun, case.in_axes, **options)
    rows = jax.vmap(case.fun, case.in_axes)(*case.args, **case.kwargs)
    close(fun(*case.args, **case.kwargs), case.reduced(rows))


@law(
    "`micro_grad` gives the sum or the mean of the gradients of all examples, and the value and "
    "the auxiliary output of each example",
    source=f"{_PAGE}.micro_grad",
    needs={"microbatching.micro_grad"},
    case=examples(),
)
def gradients_of_examples_are_accumulated(lib, case):
    grads, told = lib.microbatching.micro_grad(case.fun, **case.options)(*case.args)
    of_one = jax.value_and_grad(case.fun, case.argnums, case.has_aux)
    each = [of_one(*_example(case, row)) for row in range(case.rows)]
    values, wanted = jtu.tree_map(lambda *leaves: jnp.stack(leaves), *each)
    close(grads, jtu.tree_map(jnp.mean if case.mean else jnp.sum, wanted, _axis(wanted)))
    close((told.values, told.aux) if case.has_aux else told.values, values)


@law(
    "`micro_grad` gives its metrics each gradient before its transformation, which is applied to "
    "the gradient of each example",
    source=f"{_PAGE}.micro_grad",
    needs={"microbatching.micro_grad"},
    case=examples(),
    parents=(gradients_of_examples_are_accumulated,),
)
def each_gradient_is_measured_and_transformed(lib, case):
    squared = lambda tree: jtu.tree_map(lambda leaf: leaf**2, tree)
    options = {**case.options, "transform_fn": squared, "metrics_fn": jtu.tree_leaves}
    grads, told = lib.microbatching.micro_grad(case.fun, **options)(*case.args)
    of_one = jax.grad(case.fun, case.argnums, case.has_aux)
    each = [of_one(*_example(case, row)) for row in range(case.rows)]
    grads_of_each = [one[0] if case.has_aux else one for one in each]
    wanted = jtu.tree_map(lambda *leaves: jnp.stack(leaves), *grads_of_each)
    close(told.metrics, jtu.tree_leaves(wanted))
    close(grads, jtu.tree_map(jnp.mean if case.mean else jnp.sum, squared(wanted), _axis(wanted)))


def _axis(tree):
    """Return a tree of zeros, the axis of the examples."""
    return jtu.tree_map(lambda _: 0, tree)


def _example(case, row):
    """Return the arguments with one example alone, as a batch if the options keep its axis."""
    at = slice(row, row + 1) if case.options.get("keep_batch_dim", True) else row
    taken = lambda tree: jtu.tree_map(lambda leaf: leaf[at], tree)
    return [taken(one) if place in case.batched else one for place, one in enumerate(case.args)]
