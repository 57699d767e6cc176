"""Gradients of several steps, of which some hold bad numbers, for what acts every few steps."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .formulas import FEW, bind_steps

# What collects the gradients of `length` steps and doubles what comes of them, and whether it
# gives their mean.
_COLLECTORS = (
    ("MultiSteps-mean", "optax.MultiSteps(optax.scale(2.0), length)", True),
    ("MultiSteps-sum", "optax.MultiSteps(optax.scale(2.0), length, use_grad_mean=False)", False),
    ("MultiSteps-schedule", "optax.MultiSteps(optax.scale(2.0), lambda step: length)", True),
    ("MultiSteps-chain", "optax.MultiSteps(optax.chain(optax.scale(2.0)), length)", True),
    ("apply_every", "optax.chain(optax.apply_every(length), optax.scale(2.0))", False),
)
_BAD = ("np.nan", "np.inf", "-np.inf")
_SPOIL = "lambda leaf: jnp.ravel(leaf).at[place % leaf.size].set(bad).reshape(leaf.shape)"


def _spoilt_steps(draw: st.DrawFn, scope: Scope) -> None:
    """Draw `params` and `grads`, a list with one bad number in each leaf of some steps."""
    bind_steps(draw, scope, most=7, shapes=FEW)
    count = len(scope.value("grads"))
    spoilt = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    scope.bind("bad", draw(st.sampled_from(_BAD)))
    scope.bind("place", repr(draw(st.integers(0, 2))))
    scope.bind("spoil", _SPOIL)
    scope.bind("length", repr(draw(st.integers(1, 3))))
    pairs = f"zip({spoilt}, grads, strict=True)"
    changed = f"[jtu.tree_map(spoil, one) if bad_one else one for bad_one, one in {pairs}]"
    scope.rebind("grads", changed)
    scope.note("grads:spoilt" if any(spoilt) else "grads:finite")


@st.composite
def spoilt_periods(draw: st.DrawFn) -> Recipe:
    """Draw `tx`, which acts every `length` steps, `params` and `grads` with bad numbers in some.

    `mean` says whether `tx` gives twice the mean of the gradients, and not twice their sum.
    """
    scope = Scope()
    _spoilt_steps(draw, scope)
    name, text, mean = draw(st.sampled_from(_COLLECTORS))
    scope.note(f"collector:{name}", f"length:{scope.value('length')}")
    scope.bind("mean", repr(mean))
    scope.bind("tx", text)
    return scope.recipe()


@st.composite
def spoilt_lookahead(draw: st.DrawFn) -> Recipe:
    """Draw `fast`, `params` and `grads` with bad numbers in some steps, and `length`.

    `fast` is an optimiser without a state.
    """
    scope = Scope()
    _spoilt_steps(draw, scope)
    scope.bind("fast", draw(st.sampled_from(("optax.sgd(0.5)", "optax.scale(-2.0)"))))
    return scope.recipe()
