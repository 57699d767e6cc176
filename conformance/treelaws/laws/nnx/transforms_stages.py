"""Flax NNX: stages of `nnx.jit` describe their arguments."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.stages import described_stages
from treelaws.equality import equal

from .transforms import law


@law(
    "`trace`, `lower` and `compile` of `nnx.jit` describe arguments that are trees of arrays as "
    "those of `jax.jit` do: their tree, types and shardings, and which are donated",
    # "mimics the behavior from the JAX counterpart"
    source="https://github.com/google/flax/pull/4699",
    level="should",
    needs={"jit", "jit_has_stages"},
    case=described_stages(),
    weight=0.2,
)
def stages_describe_the_arguments(lib, case):
    equal(str(case.ours()), str(case.theirs()))
