"""Optax: `MultiSteps`, which collects the gradients of several steps."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.optax.batches import updates_to_skip
from hypothesis_pytrees.optax.chains import accumulated_chains, chains
from treelaws.equality import equal, same

from ._inputs import CODE, DOCS, are_zeros, close, dtypes
from .combine import law

_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_STEPS = 2


@st.composite
def _narrow_gradients(draw: st.DrawFn) -> Recipe:
    """Bind `grads`, positive gradients of some steps in a narrow dtype, and `mean`, a bool.

    Sums of the numbers are below the largest number of each dtype.
    """
    scope = Scope()
    dtype = draw(st.sampled_from(("bfloat16", "float16")))
    steps = draw(st.sampled_from((3, 40, 700, 6000)))
    mean = draw(st.booleans())
    numbers = draw(st.lists(st.sampled_from((0.25, 0.5, 1.0, 3.0)), min_size=1, max_size=3))
    scope.note(f"dtype:{dtype}", f"steps:{steps}", f"of:{'mean' if mean else 'sum'}")
    scope.bind("grads", f"jnp.asarray(np.resize({numbers}, {steps}), jnp.{dtype})")
    scope.bind("mean", repr(mean))
    return scope.recipe()


@law(
    "before its last step, `MultiSteps` gives zeros of the shapes of the updates",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps", "chain"},
    case=chains(most=1),
)
def steps_before_the_last_are_zero(lib, case):
    tx = lib.MultiSteps(lib.chain(*case.links), 2)
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    are_zeros(updates, case.grads)


@law(
    "every `n` steps, `MultiSteps` gives the updates of the inner transformation for the mean of "
    "the gradients",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps", "chain"},
    case=chains(most=1),
)
def the_last_step_updates_with_the_mean(lib, case):
    inner = lib.chain(*case.links)
    tx = lib.MultiSteps(inner, _STEPS)
    state, wanted_state = tx.init(case.params), inner.init(case.params)
    doubles = jtu.tree_map(lambda leaf: 3 * leaf, case.grads)
    for _ in range(2):
        _, state = tx.update(case.grads, state, case.params)
        updates, state = tx.update(doubles, state, case.params)
        mean = jtu.tree_map(lambda leaf: 2 * leaf, case.grads)
        wanted, wanted_state = inner.update(mean, wanted_state, case.params)
        close(updates, wanted)


@law(
    "the state of `MultiSteps` counts the small steps since the last update, and the updates",
    source=f"{_WRAPPERS}#optax.MultiStepsState",
    needs={"MultiSteps", "chain"},
    case=chains(most=1),
)
def the_state_counts_small_steps_and_updates(lib, case):
    tx = lib.MultiSteps(lib.chain(*case.links), _STEPS)
    state = tx.init(case.params)
    for count in range(2 * _STEPS + 1):
        counted = int(state.mini_step), int(state.gradient_step)
        equal((*counted, state.mini_step.dtype), (count % _STEPS, count // _STEPS, jnp.int32))
        equal(bool(tx.has_updated(state)), count > 0 and count % _STEPS == 0)
        _, state = tx.update(case.grads, state, case.params)


@law(
    "`skip_not_finite` skips updates that hold an infinity or NaN, and counts them",
    source=f"{_WRAPPERS}#optax.skip_not_finite",
    needs={"skip_not_finite"},
    case=updates_to_skip(),
)
def updates_that_are_not_finite_are_skipped(lib, case):
    skip, told = lib.skip_not_finite(case.updates, case.step, None)
    count = sum(int((~np.isfinite(leaf)).sum()) for leaf in jtu.tree_leaves(case.updates))
    equal((bool(skip), int(told["num_not_finite"])), (count > 0, count))
    equal((skip.dtype, skip.shape, bool(told["should_skip"])), (jnp.bool_, (), count > 0))


@law(
    "`skip_large_updates` skips updates whose squared norm reaches the maximum, or is NaN",
    source=f"{_WRAPPERS}#optax.skip_large_updates",
    needs={"skip_large_updates"},
    case=updates_to_skip(),
)
def large_updates_are_skipped(lib, case):
    skip, told = lib.skip_large_updates(case.updates, case.step, None, 25.5)
    leaves = jtu.tree_leaves(case.updates)
    norm = sum((np.float64(leaf) ** 2).sum() for leaf in leaves)
    equal(bool(skip), not bool(norm < 25.5))
    equal(bool(np.isclose(told["norm_squared"], norm, equal_nan=True)), True)


@law(
    "updates that `should_skip_update_fn` skips are zero, and change neither the collected "
    "gradients nor the counts of `MultiSteps`",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps", "skip_not_finite", "sgd"},
    case=updates_to_skip(),
)
def skipped_updates_change_nothing(lib, case):
    tx = lib.MultiSteps(lib.sgd(0.5), 2, should_skip_update_fn=lib.skip_not_finite)
    bad = jtu.tree_map(lambda leaf: leaf * np.nan, case.params)
    plain, skipping = tx.init(case.params), tx.init(case.params)
    for _ in range(3):
        updates, skipping = tx.update(bad, skipping, case.params)
        are_zeros(updates, case.params)
        wanted, plain = tx.update(case.params, plain, case.params)
        got, skipping = tx.update(case.params, skipping, case.params)
        same((got, skipping[:-1]), (wanted, plain[:-1]))


@law(
    "`MultiSteps.gradient_transformation` has the `init` and `update` of `MultiSteps`",
    source=f"{CODE}transforms/_accumulation.py#L424-L425",
    level="should",
    needs={"MultiSteps.gradient_transformation", "chain"},
    case=chains(most=1),
)
def multi_steps_are_a_transformation(lib, case):
    steps = lib.MultiSteps(lib.chain(*case.links), _STEPS)
    tx = steps.gradient_transformation()
    state, wanted_state = tx.init(case.params), steps.init(case.params)
    for _ in range(_STEPS + 1):
        updates, state = tx.update(case.grads, state, case.params)
        wanted, wanted_state = steps.update(case.grads, wanted_state, case.params)
        same((updates, state), (wanted, wanted_state))


@law(
    "`accumulator_dtype` of `MultiSteps` is the dtype of the gradients that its state collects, "
    "and not that of the updates",
    source=f"{_WRAPPERS}#optax.MultiSteps",
    needs={"MultiSteps(accumulator_dtype)", "chain"},
    case=accumulated_chains(),
)
def gradients_are_collected_in_a_dtype(lib, case):
    tx = lib.MultiSteps(lib.chain(*case.links), _STEPS, accumulator_dtype=case.dtype)
    state = tx.init(case.params)
    for _ in range(_STEPS + 1):
        wanted = jtu.tree_map(lambda _: str(jnp.dtype(case.dtype)), case.params)
        same(dtypes(state.acc_grads), wanted)
        updates, state = tx.update(case.grads, state, case.params)
        same(dtypes(updates), dtypes(case.grads))


@law(
    "`MultiSteps` gives the sum or the mean of the bfloat16 or float16 gradients of thousands of "
    "steps, apart from rounding the result",
    # labelled as a bug: sums in bfloat16 stop growing
    source="https://github.com/google-deepmind/optax/issues/1567",
    level="should",
    needs={"MultiSteps", "identity"},
    case=_narrow_gradients(),
)
def no_narrow_gradient_is_lost(lib, case):
    tx = lib.MultiSteps(lib.identity(), len(case.grads), use_grad_mean=case.mean)
    step = lambda state, grad: tx.update(grad, state)[::-1]
    _, updates = jax.lax.scan(step, tx.init(case.grads[0]), case.grads)
    exact = np.asarray(case.grads, np.float64)
    wanted = exact.mean() if case.mean else exact.sum()
    close(updates[-1], jnp.asarray(wanted, case.grads.dtype))
