"""Flax NNX: stages of `nnx.jit` and `nnx.jit_partial`."""

from __future__ import annotations

from hypothesis_pytrees.nnx.calls.partial_calls import COMPILED_AHEAD
from hypothesis_pytrees.nnx.calls.program_ways import programs_in_ways
from hypothesis_pytrees.nnx.calls.stages import described_stages
from hypothesis_pytrees.nnx.module_programs import FIXED
from treelaws.equality import equal, same

from ._inputs import without_sharing
from ._model import same_graph
from .transforms import arrays, jit_does_it_each_time, law


@law(
    "`trace`, `lower` and `compile` of `nnx.jit` describe arguments that are trees of arrays as "
    "those of `jax.jit` do: their tree, types and shardings, and which are donated",
    # "mimics the behavior from the JAX counterpart"
    source="https://github.com/google/flax/pull/4699",
    level="should",
    needs={"jit", "jit_has_stages"},
    case=described_stages(),
)
def stages_describe_the_arguments(lib, case):
    equal(str(case.ours()), str(case.theirs()))


@law(
    "a program on a module without shared references that `jit_partial` has bound and that "
    "`lower` or `trace` has compiled ahead has the same result and effect as a plain call, again "
    "and again",
    # "Similar to `nnx.cached_partial` [...] any mutations to Variables are propagated back to the
    # originals after each call."
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html#flax.nnx.jit_partial",
    level="should",
    needs={"jit_partial", "jit_has_stages"},
    case=programs_in_ways(COMPILED_AHEAD, steps=FIXED, alias=False).filter(without_sharing),
    parents=[jit_does_it_each_time],
)
def stages_of_bound_programs_do_what_they_do(lib, case):
    other = case.rebuild()
    run = other.run(other.program, other.module, other.x)
    for _ in range(2):
        wanted = case.program(case.module, case.x)
        same(arrays(run()), arrays(wanted))
        same_graph(other.module, case.module)
