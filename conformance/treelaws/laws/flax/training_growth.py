"""Flax: how often a dynamic scale grows."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal

from .training import law
from .training_scale import finite_gradients_make_the_scale_grow

_SCALE = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.training.html"
    "#flax.training.dynamic_scale.DynamicScale"
)


@st.composite
def _finite_steps(draw: st.DrawFn) -> Recipe:
    """Draw `options` of a DynamicScale, and `steps`, the number of steps of finite gradients."""
    scope = Scope()
    interval = draw(st.integers(1, 5))
    steps = draw(st.integers(0, 9))
    factor = draw(st.sampled_from((2.0, 4.0, 1.0)))
    grows = steps // interval != steps // (interval + 1) and factor != 1.0
    scope.note("steps:of-growth" if grows else "steps:between")
    options = f"growth_interval={interval}, growth_factor={factor}"
    scope.bind("options", f"dict({options}, scale={draw(st.sampled_from((1.0, 64.0)))})")
    scope.bind("steps", repr(steps))
    return scope.recipe()


@law(
    "the scale of a DynamicScale grows by `growth_factor` after each `growth_interval` steps of "
    "finite gradients",
    source=_SCALE,
    level="should",
    needs={"training.dynamic_scale.DynamicScale"},
    case=_finite_steps(),
    parents=[finite_gradients_make_the_scale_grow],
)
def the_scale_grows_after_each_interval(lib, case):
    scale = lib.training.dynamic_scale.DynamicScale(**case.options)
    for _ in range(case.steps):
        scale = scale.value_and_grad(lambda x: x * 2.0)(3.0).dynamic_scale
    grown = case.options["growth_factor"] ** (case.steps // case.options["growth_interval"])
    equal(float(scale.scale), case.options["scale"] * grown)


@st.composite
def _reached_steps(draw: st.DrawFn) -> Recipe:
    """Draw `options` of a DynamicScale with `fin_steps` of `growth_interval` or more."""
    scope = Scope()
    interval, more = draw(st.integers(1, 5)), draw(st.integers(0, 9))
    scope.note("steps:beyond" if more else "steps:reached")
    steps = draw(st.sampled_from(("{}", "jnp.int32({})"))).format(interval + more)
    factor = draw(st.sampled_from((2.0, 4.0)))
    options = f"growth_interval={interval}, growth_factor={factor}, fin_steps={steps}"
    scope.bind("options", f"dict({options}, scale={draw(st.sampled_from((1.0, 64.0)))})")
    return scope.recipe()


@law(
    "if `fin_steps` is at least `growth_interval`, the next step of finite gradients multiplies "
    "the scale of a DynamicScale by `growth_factor`",
    source=_SCALE,
    level="should",
    needs={"training.dynamic_scale.DynamicScale"},
    case=_reached_steps(),
    parents=[finite_gradients_make_the_scale_grow],
)
def a_scale_grows_that_has_reached_the_interval(lib, case):
    """A scale that is restored may have more steps behind it than a new interval."""
    scale = lib.training.dynamic_scale.DynamicScale(**case.options)
    after = scale.value_and_grad(lambda x: x * 2.0)(3.0).dynamic_scale
    equal(float(after.scale), case.options["scale"] * case.options["growth_factor"])
