"""Programs of several steps with wrappers of `optax.contrib` and their options."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .formulas import bind_steps

# Transformations that take steps, with and without a state of their own.
_STEPS = (
    "optax.sgd(0.25)",
    "optax.sgd(0.25, momentum=0.5)",
    "optax.sgd(optax.linear_schedule(0.5, 0.25, 2))",
    "optax.chain(optax.scale(0.5), optax.sgd(0.25, momentum=0.5, nesterov=True))",
    "optax.adam(0.25)",
)
_ADVERSARIES = (*_STEPS, "optax.chain(optax.contrib.normalize(), optax.sgd(0.25))")
# No gradient is zero: `normalize` divides by its norm, and the steps of `adam` depend on the sign.
_GRADIENTS = """\
def gradients_of_steps(steps):
    def gradient(params, step):
        grads = steps[step % len(steps)]
        return jtu.tree_map(lambda leaf, grad: leaf * 0.5 + grad + 0.3, params, grads)

    return gradient
"""


@st.composite
def adversarial_periods(draw: st.DrawFn) -> Recipe:
    """Draw options of `optax.contrib.sam`, `params`, and `gradient` at a step, 0 or later.

    `outer` and `adversary` are the two optimisers, `period` and `reset` the options. Feature:
    `period:1` if each step is one of the outer optimiser.
    """
    scope = Scope()
    scope.bind("outer", draw(st.sampled_from(_STEPS)))
    scope.bind("adversary", draw(st.sampled_from(_ADVERSARIES)))
    period = draw(st.integers(1, 4))
    scope.note(f"period:{period}")
    scope.bind("period", str(period))
    scope.bind("reset", str(draw(st.booleans())))
    bind_steps(draw, scope)
    scope.define(_GRADIENTS)
    scope.bind("gradient", "gradients_of_steps(grads)")
    return scope.recipe()


@st.composite
def schedule_free_steps(draw: st.DrawFn) -> Recipe:
    """Draw `tx`, a schedule-free optimiser around `base`, its `blend`, `params` and `grads`."""
    scope = Scope()
    scope.bind("base", draw(st.sampled_from(_STEPS)))
    scope.bind("blend", draw(st.sampled_from(("0.9", "0.5", "0.25", "1.0"))))
    power = draw(st.sampled_from(("", ", weight_lr_power=0.0", ", weight_lr_power=1.0")))
    scope.bind("tx", f"optax.contrib.schedule_free(base, 0.25, b1=blend{power})")
    bind_steps(draw, scope)
    return scope.recipe()
