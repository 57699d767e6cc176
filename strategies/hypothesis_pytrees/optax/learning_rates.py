"""Optimisers whose learning rate is a factor of their updates, as their documentation says."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .params import GRADIENTS, draw_parameters, sources

# Optimisers that scale by the learning rate at last, with further arguments. Of those that
# document "a global scaling factor", `fromage` is left out: it also divides by a norm that depends
# on the learning rate. So are `lars` and `optimistic_gradient_descent`, whose states hold scaled
# updates, and `noisy_sgd`, which draws noise.
OPTIMISERS = (
    "adabelief({})",
    "adagrad({})",
    "adam({}, b1=0.5)",
    "adamax({})",
    "adamaxw({}, weight_decay=0.5)",
    "adamw({}, weight_decay=0.5)",
    "adan({})",
    "amsgrad({})",
    "lamb({}, weight_decay=0.5)",
    "lion({})",
    "nadam({})",
    "nadamw({})",
    "novograd({})",
    "radam({})",
    "rmsprop({}, initial_scale=1.0)",
    "sgd({})",
    "sgd({}, momentum=0.5, nesterov=True)",
    "sign_sgd({})",
    "yogi({})",
    "contrib.acprop({})",
    "contrib.ademamix({})",
    "contrib.adopt({})",
)


@st.composite
def _factors(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope, some=True)
    scope.bind("grads", GRADIENTS)
    present = [text for text in OPTIMISERS if names.has(f"optax.{text.partition('(')[0]}")]
    text = present[draw(st.integers(0, len(present) - 1))]
    scope.note(f"case:{text.partition('(')[0]}")
    scope.bind("optimiser", f"lambda rate: optax.{text.format('rate')}")
    return scope.recipe()


def factors() -> st.SearchStrategy[Recipe]:
    """Draw `params`, `grads` and `optimiser`, which takes a learning rate or a schedule."""
    return probe_first(sources, _factors())
