"""Optax: options of functions of microbatches."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.optax.microbatches import functions_of_rows
from hypothesis_pytrees.optax.rules.examples import examples
from treelaws.equality import refuses

from ._inputs import close
from .microbatching import (
    _PAGE,
    _axis,
    _example,
    gradients_of_examples_are_accumulated,
    law,
    results_of_rows_are_accumulated,
)


@st.composite
def _other_out_axes(draw: st.DrawFn) -> Recipe:
    """Bind `out_axes`, which are not 0, and `options` of `micro_vmap`."""
    scope = Scope()
    values = ("1", "-1", "None", "(0,)", "(0, 1)", "[1]", "{'a': 0}")
    scope.bind("out_axes", draw(st.sampled_from(values)))
    options = ("{}", "dict(microbatch_size=2)", "dict(in_axes=(0, None))")
    scope.bind("options", draw(st.sampled_from(options)))
    return scope.recipe()


@law(
    "`num_real_microbatches` makes `micro_vmap` stop after so many microbatches: a sum or a "
    "running mean is that of the rows in them, of `n` microbatches each `n`-th row in the first",
    source=f"{_PAGE}.micro_vmap",
    needs={"microbatching.micro_vmap"},
    level="should",
    case=functions_of_rows(early=True),
    parents=(results_of_rows_are_accumulated,),
)
def rows_after_the_real_microbatches_do_not_count(lib, case):
    options = {"microbatch_size": case.size, "accumulator": case.accumulator}
    micro_vmap = lib.microbatching.micro_vmap
    fun = micro_vmap(case.fun, case.in_axes, num_real_microbatches=case.real, **options)
    rows = jax.vmap(case.fun, case.in_axes)(*case.args, **case.kwargs)
    first = jtu.tree_map(lambda leaf: leaf[case.first_rows], rows)
    close(fun(*case.args, **case.kwargs), case.reduced(first))


@law(
    "`num_real_microbatches` makes `micro_grad` stop after so many microbatches: a sum or a "
    "running mean of gradients is that of the examples in them, of `n` microbatches each `n`-th "
    "in the first",
    source=f"{_PAGE}.micro_grad",
    needs={"microbatching.micro_grad"},
    level="should",
    case=examples(early=True),
    parents=(gradients_of_examples_are_accumulated,),
)
def examples_after_the_real_microbatches_do_not_count(lib, case):
    options = {**case.options, "num_real_microbatches": case.real}
    grads, _ = lib.microbatching.micro_grad(case.fun, **options)(*case.args)
    of_one = jax.value_and_grad(case.fun, case.argnums, case.has_aux)
    each = [of_one(*_example(case, row))[1] for row in case.first_rows]
    wanted = jtu.tree_map(lambda *leaves: jnp.stack(leaves), *each)
    close(grads, jtu.tree_map(jnp.mean if case.mean else jnp.sum, wanted, _axis(wanted)))


@law(
    "`micro_vmap` maps by `vmap_fn`: with one that names the axis, a function of single rows uses "
    "collectives over the rows of its microbatch",
    source=f"{_PAGE}.micro_vmap",
    needs={"microbatching.micro_vmap"},
    level="should",
    case=functions_of_rows(),
    parents=(results_of_rows_are_accumulated,),
)
def a_map_may_name_its_axis(lib, case):
    named = functools.partial(jax.vmap, axis_name="rows")
    sizes = lambda tree: jtu.tree_map(lambda leaf: leaf * jax.lax.psum(1, "rows"), tree)
    fun = lambda *args, **kwargs: sizes(case.fun(*args, **kwargs))
    options = {"microbatch_size": case.size, "vmap_fn": named}
    found = lib.microbatching.micro_vmap(fun, case.in_axes, **options)(*case.args, **case.kwargs)
    wanted = jax.vmap(case.fun, case.in_axes)(*case.args, **case.kwargs)
    close(found, jtu.tree_map(lambda leaf: leaf * (case.size or len(leaf)), wanted))


@law(
    "`micro_vmap` raises NotImplementedError for `out_axes` other than 0",
    # "Unsupported by optax.vmap, must be set to 0."
    source=f"{_PAGE}.micro_vmap",
    needs={"microbatching.micro_vmap"},
    level="observed",
    case=_other_out_axes(),
)
def other_out_axes_are_refused(lib, case):
    refuses(
        NotImplementedError,
        lambda: lib.microbatching.micro_vmap(lambda x: x, out_axes=case.out_axes, **case.options),
    )
