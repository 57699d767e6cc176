"""Rounds of a backtracking line search, and values of a loss that improves or not."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

# The largest step that lowers the loss; with the last one, no step does.
_LIMITS = ("np.inf", "np.inf", "0.3", "0.05", "-1.0")
_INCREASES = ("np.inf", "1.0", "1.5", "2.0")


@st.composite
def rounds(draw: st.DrawFn) -> Recipe:
    """Draw `limits`, the largest step that lowers the loss in each round, and options of a search.

    These are `increase`, `decrease` and `most`, the largest learning rate.
    """
    scope = Scope()
    limits = draw(st.lists(st.sampled_from(_LIMITS), min_size=1, max_size=4))
    increase = draw(st.sampled_from(_INCREASES))
    fails = [place for place, limit in enumerate(limits[:-1]) if limit == "-1.0"]
    if fails and increase != "np.inf":
        # What a guess is after a search that found nothing is documented for infinity alone.
        limits = limits[: fails[0] + 1]
    elif fails:
        scope.note("round:after-a-failure")
    scope.note("increase:infinite" if increase == "np.inf" else "increase:finite")
    scope.bind("limits", f"[{', '.join(limits)}]")
    scope.bind("increase", increase)
    scope.bind("decrease", draw(st.sampled_from(("0.5", "0.25"))))
    scope.bind("most", draw(st.sampled_from(("1.0", "0.5", "4.0"))))
    return scope.recipe()


@st.composite
def plateaus(draw: st.DrawFn) -> Recipe:
    """Draw `options` of `reduce_on_plateau`, and `values` of a loss, one a step.

    They improve in each step if `patience` is 0, for which nothing else is documented. No value is
    better by the tolerance exactly. With `accumulation_size`, several of them are one.
    """
    scope = Scope()
    patience = draw(st.integers(0, 3))
    size = draw(st.sampled_from((1, 1, 2)))
    scope.note(f"patience:{patience}" if patience < 2 else "patience:several")
    tolerance = draw(st.sampled_from(("rtol=0.1", "rtol=0.0, atol=0.25", "rtol=0.1, atol=0.1")))
    options = [f"factor={draw(st.sampled_from((0.5, 0.25)))}, patience={patience}, {tolerance}"]
    # Whether a cooldown counts values or their means is not documented.
    cooldown = draw(st.integers(0, 2)) if size == 1 else 0
    least = draw(st.sampled_from((0.0, 0.1)))
    options.append(f"cooldown={cooldown}, accumulation_size={size}, min_scale={least}")
    scope.bind("options", f"dict({', '.join(options)})")
    scope.bind("patience", repr(patience))
    if patience:
        # A loss such as a log-likelihood is below zero.
        sign = draw(st.sampled_from((1, 1, -1)))
        numbers = st.sampled_from((1.0, 4.0, 2.0, 8.0, 0.5, 3.9)).map(lambda one: sign * one)
        values = draw(st.lists(numbers, min_size=1, max_size=6))
    else:
        values = [2.0 ** (4 - 2 * step) for step in range(draw(st.integers(1, 4)))]
    if min(values) < 0 and "rtol=0.0" not in tolerance:
        scope.note("values:negative")
    scope.bind("values", repr([value for value in values for _ in range(size)]))
    return scope.recipe()
