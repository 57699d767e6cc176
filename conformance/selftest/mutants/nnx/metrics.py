"""Mutants of the metrics of Flax NNX."""

from __future__ import annotations

from selftest.mutant import mutant


@mutant("nnx", kills=["nnx.metrics.compute_changes_nothing"])
def compute_resets(nnx):
    """`compute` of a metric also resets it."""

    def resetting(cls):
        compute = cls.compute

        def computed(self):
            result = compute(self)
            self.reset()
            return result

        return computed

    metrics = (nnx.metrics.Average, nnx.metrics.Welford)
    return {f"metrics.{cls.__name__}.compute": resetting(cls) for cls in metrics}


@mutant(
    "nnx",
    kills=[
        "nnx.metrics.compiled_steps_keep_the_types",
        "nnx.metrics.compiled_steps_keep_the_types_of_several",
        "nnx.metrics.compiled_steps_keep_the_types_in_double_precision",
    ],
)
def averages_count_in_floats(nnx):
    """`Average.update` makes the count a float."""
    update = nnx.metrics.Average.update

    def updated(self, **values):
        update(self, **values)
        self.count.set_value(self.count.get_value().astype("float32"))

    return {"metrics.Average.update": updated}
