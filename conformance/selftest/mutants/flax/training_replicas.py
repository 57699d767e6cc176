"""Mutants of dynamic scales of several replicas."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "flax.training."


@mutant(
    "flax",
    kills=[_ID + "gradients_are_averaged_over_replicas", _ID + "replicas_have_the_same_scale"],
)
def replicas_keep_their_gradients(flax):
    """`value_and_grad` ignores `axis_name`."""
    real = flax.training.dynamic_scale.DynamicScale

    class DynamicScale(real):
        def value_and_grad(self, *args, axis_name=None, **options):
            return super().value_and_grad(*args, **options)

    return {"training.dynamic_scale.DynamicScale": DynamicScale}
