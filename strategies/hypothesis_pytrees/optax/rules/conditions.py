"""Steps of which only some are updates: conditions, gradients that are not finite, small steps."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .formulas import FEW, bind_steps

# Functions of a step and of the extra arguments, of which one is `allowed`.
_CONDITIONS = ("step % 2 == 0", "step >= 1", "step == 1", "step < 2", "(step + 1) % 3 == 0")
_SCHEDULES = ("1", "2", "3", "lambda step: step + 1", "lambda step: 3 - step", "lambda step: 2")


@st.composite
def conditions(draw: st.DrawFn) -> Recipe:
    """Draw `grads`, a list of gradients for `params`, and `condition`, a function of the step.

    `allowed`, one bool for each step, is what the condition gets as an extra argument if `forwards`
    is `True`; it holds where both say so. `decay` is that of an inner trace.
    """
    scope = Scope()
    bind_steps(draw, scope, most=5, shapes=FEW)
    steps = len(scope.value("grads"))
    forwards = draw(st.booleans())
    allowed = draw(st.lists(st.booleans(), min_size=steps, max_size=steps))
    scope.bind("allowed", repr(allowed if forwards else [True] * steps))
    scope.bind("forwards", repr(forwards))
    text = draw(st.sampled_from(_CONDITIONS))
    scope.note(f"condition:{text}", "extra:forwarded" if forwards else "extra:kept")
    scope.bind("rule", f"lambda step: {text}")
    arguments = "step, *, allowed" if forwards else "step"
    rest = " & allowed" if forwards else ""
    scope.bind("condition", f"lambda {arguments}: jnp.asarray({text}){rest}")
    scope.bind("decay", draw(st.sampled_from(("0.5", "0.0", "2.0"))))
    return scope.recipe()


@st.composite
def errors(draw: st.DrawFn) -> Recipe:
    """Draw `grads`, a list of gradients for `params`, of which some have numbers in `bad`.

    Names: also `finite`, a bool for each step, `most`, a number of errors, and `decay`.
    """
    scope = Scope()
    bind_steps(draw, scope, most=5, shapes=FEW)
    steps = len(scope.value("grads"))
    finite = draw(st.lists(st.booleans(), min_size=steps, max_size=steps))
    scope.bind("finite", repr(finite))
    scope.bind("bad", draw(st.sampled_from(("np.nan", "np.inf", "-np.inf"))))
    scope.bind("most", repr(draw(st.integers(0, 3))))
    scope.bind("decay", draw(st.sampled_from(("0.5", "2.0"))))
    return scope.recipe()


@st.composite
def small_steps(draw: st.DrawFn) -> Recipe:
    """Draw `grads`, a list of gradients for `params`, and `length`, the small steps of an update.

    `length` is a number or a function of the updates so far, which is at least 1 for few. Names:
    also `mean`, whether the gradients are averaged, and `decay`.
    """
    scope = Scope()
    bind_steps(draw, scope, most=6, shapes=FEW)
    text = draw(st.sampled_from(_SCHEDULES))
    # After two updates a schedule that counts down stays at 1.
    scope.bind("length", text.replace("3 - step", "jnp.maximum(3 - step, 1)"))
    scope.bind("mean", repr(draw(st.booleans())))
    scope.bind("decay", draw(st.sampled_from(("0.5", "2.0"))))
    return scope.recipe()
