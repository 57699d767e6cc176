"""Flax NNX: what a traced, lowered or compiled function says of its arguments."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.stages import described_stages
from treelaws.equality import equal

from .transforms import law


@law(
    "a traced, lowered or compiled function of arrays says of its arguments what that of `jax.jit` "
    "says: their tree, types, shardings, and which are donated",
    source="https://docs.jax.dev/en/latest/jax.stages.html",
    level="should",
    needs={"jit", "jit_has_stages"},
    case=described_stages(),
    weight=0.2,
)
def stages_describe_the_arguments(lib, case):
    equal(str(case.ours()), str(case.theirs()))
