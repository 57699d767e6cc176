"""Flax: dynamic scales of a loss, compared with `jax.value_and_grad`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.flax.training import scaled_losses, scaled_runs
from treelaws.equality import equal, same, true

from .training import law, same_types

_SCALE = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.training.html"
    "#flax.training.dynamic_scale.DynamicScale"
)
_GRAD = f"{_SCALE}.value_and_grad"
_NEEDS = {"training.dynamic_scale.DynamicScale"}


@law(
    "`DynamicScale.value_and_grad` gives the value, the auxiliary data and the gradients of "
    "`jax.value_and_grad`, and says that they are finite",
    source=_GRAD,
    needs=_NEEDS,
    case=scaled_losses(halves=False),
)
def scaled_gradients_are_those_of_jax(lib, case):
    """Sums of halves and powers of 2 are exact, so that no scale can round them."""
    scale, options = _scale(lib, case), {"argnums": case.argnums, "has_aux": case.has_aux}
    got = scale.value_and_grad(case.loss, **options)(case.x, case.y)
    value, grad = jax.value_and_grad(case.loss, **options)(case.x, case.y)
    true(bool(got.finite), got.finite, "finite gradients")
    same((got.aux, got.grad), (value, grad))


@law(
    "`DynamicScale.value_and_grad` gives the value of a loss of half precision, whatever its scale",
    source=_SCALE,
    level="should",
    needs=_NEEDS,
    case=scaled_losses(),
    parents=[scaled_gradients_are_those_of_jax],
)
def scaled_values_are_those_of_the_loss(lib, case):
    """The scaled gradients of half precision may be infinite, so that they are not compared."""
    scale, options = _scale(lib, case), {"argnums": case.argnums, "has_aux": case.has_aux}
    value = case.loss(case.x, case.y)
    got = scale.value_and_grad(case.loss, **options)(case.x, case.y)
    same(_single(got.aux), _single(value))


@law(
    "the function that `DynamicScale.value_and_grad` returns takes the arguments of the loss, "
    "also by keyword",
    source=_GRAD,
    needs=_NEEDS,
    case=scaled_losses(halves=False),
    parents=[scaled_gradients_are_those_of_jax],
)
def scaled_losses_take_keywords(lib, case):
    scale, options = _scale(lib, case), {"argnums": 0, "has_aux": case.has_aux}
    got = scale.value_and_grad(case.loss, **options)(case.x, y=case.y)
    wanted = scale.value_and_grad(case.loss, **options)(case.x, case.y)
    same(tuple(got), tuple(wanted))


@law(
    "the structure, types and weak types of a DynamicScale stay over steps, so that `jit` "
    "compiles a step once",
    source=_SCALE,
    level="observed",
    needs=_NEEDS,
    case=scaled_losses(halves=False),
    parents=[scaled_gradients_are_those_of_jax],
)
def steps_keep_the_types_of_the_scale(lib, case):
    options = {"argnums": case.argnums, "has_aux": case.has_aux}
    step = lambda scale: scale.value_and_grad(case.loss, **options)(case.x, case.y).dynamic_scale
    start = jax.eval_shape(lambda scale: scale, _scale(lib, case))
    same_types(jax.eval_shape(step, start), start)


@law(
    "every step of a DynamicScale gives a value and gradients of the same types",
    source=_SCALE,
    level="should",
    needs=_NEEDS,
    case=scaled_losses(),
    parents=[scaled_gradients_are_those_of_jax],
)
def every_step_gives_the_same_types(lib, case):
    options = {"argnums": case.argnums, "has_aux": case.has_aux}
    step = lambda scale: scale.value_and_grad(case.loss, **options)(case.x, case.y)
    once = jax.eval_shape(step, _scale(lib, case))
    twice = jax.eval_shape(step, once.dynamic_scale)
    same_types((twice.finite, twice.aux, twice.grad), (once.finite, once.aux, once.grad))


@law(
    "after a gradient that is not finite, `fin_steps` is 0 and the scale shrinks by "
    "`backoff_factor`, at most to `minimum_scale`",
    source=_SCALE,
    needs=_NEEDS,
    case=scaled_runs(),
)
def infinite_gradients_shrink_the_scale(lib, case):
    scale = lib.training.dynamic_scale.DynamicScale(**case.options)
    for _, before, finite, after in _run(scale, case.finite):
        equal(bool(finite[0]), finite[1])
        least = case.options["minimum_scale"] or 0.0
        if not finite[1]:
            lower = max(float(before.scale) * case.options["backoff_factor"], least)
            equal((int(after.fin_steps), float(after.scale)), (0, lower))


@law(
    "a finite gradient leaves the scale alone, unless `growth_interval` steps were finite: then "
    "it grows by `growth_factor` and `fin_steps` starts again",
    source=_SCALE,
    level="observed",
    needs=_NEEDS,
    case=scaled_runs(),
    parents=[infinite_gradients_shrink_the_scale],
)
def finite_gradients_make_the_scale_grow(lib, case):
    scale = lib.training.dynamic_scale.DynamicScale(**case.options)
    for steps, before, finite, after in _run(scale, case.finite):
        if finite[1]:
            grown = steps == case.options["growth_interval"]
            factor = case.options["growth_factor"] if grown else 1.0
            wanted = (0 if grown else steps + 1, float(before.scale) * factor)
            equal((int(after.fin_steps), float(after.scale)), wanted)


def _scale(lib, case):
    return lib.training.dynamic_scale.DynamicScale(**case.options)


def _single(tree):
    """Return a tree with each number in single precision, which a scaled value may have."""
    return jtu.tree_map(lambda leaf: jnp.asarray(leaf, jnp.float32), tree)


def _run(scale, finite):
    """Yield the count of steps, the scale before and after, and whether the step is finite."""
    for wanted in finite:
        before, numbers = scale, jnp.float32(1.0 if wanted else jnp.inf)
        scale, got, *_ = scale.value_and_grad(lambda x, by=numbers: x * by)(jnp.float32(0.5))
        yield int(before.fin_steps), before, (got, wanted), scale
