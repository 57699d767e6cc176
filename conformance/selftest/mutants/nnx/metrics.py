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


@mutant("nnx", kills=["nnx.metrics.values_of_any_dtype_are_measured"])
def small_integers_count_twice(nnx):
    """`update` of a metric takes values of 8-bit integers twice as large."""

    def doubling(update):
        def updated(self, **arguments):
            values = arguments[self.argname]
            narrow = str(getattr(values, "dtype", "")) in ("int8", "uint8")
            update(self, **arguments | {self.argname: values.astype("int32") * (1 + narrow)})

        return updated

    metrics = (nnx.metrics.Average, nnx.metrics.Welford)
    return {f"metrics.{cls.__name__}.update": doubling(cls.update) for cls in metrics}


@mutant("nnx", kills=["nnx.metrics.masks_of_any_dtype_leave_values_out"])
def masks_of_integers_are_ignored(nnx):
    """`Average.update` ignores a mask of integers."""
    update = nnx.metrics.Average.update

    def updated(self, mask=None, **values):
        boolean = mask is not None and "int" not in str(mask.dtype)
        return update(self, **values, **({"mask": mask} if boolean else {}))

    return {"metrics.Average.update": updated}


@mutant("nnx", kills=["nnx.metrics.labels_are_integers_of_any_dtype"])
def negative_predictions_are_right(nnx):
    """`Accuracy.update` takes every label for one."""
    update = nnx.metrics.Accuracy.update

    def updated(self, *, labels, **arguments):
        update(self, labels=labels * 0 + 1, **arguments)

    return {"metrics.Accuracy.update": updated}


@mutant("nnx", kills=["nnx.metrics.the_mask_of_several_metrics_reaches_each"])
def one_metric_is_masked(nnx):
    """`MultiMetric.update` gives its mask to the first metric alone."""
    update = nnx.MultiMetric.update

    def updated(self, mask=None, **arguments):
        first = self._metric_names[0]
        known = isinstance(mask, dict)
        alone = mask if mask is None else {first: mask.get(first) if known else mask}
        update(self, mask=alone, **arguments)

    return {"MultiMetric.update": updated}
