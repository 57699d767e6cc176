"""Mutants of the layers with state, and of `Sequential`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "equinox.state.layer."


def _called(layer: Any, call: Any, name: str) -> Any:
    """Return a subclass of a layer with another `__call__`, which takes the real one first."""

    def __call__(self, *args, **kwargs):
        return call(
            lambda *args, **kwargs: layer.__call__(self, *args, **kwargs), self, *args, **kwargs
        )

    body = {"__call__": __call__, "__module__": __name__, "__qualname__": name}
    cls = type(layer)(name, (layer,), body)
    # Where pickle looks for it.
    globals()[name] = cls
    return cls


@mutant(
    "equinox",
    kills=[
        _ID + "batch_norm_keeps_shapes_and_dtypes",
        _ID + "batch_norm_keeps_dtypes_in_double_precision",
        _ID + "batch_norm_needs_its_axis",
    ],
)
def batch_norm_gives_single_precision(eqx):
    """Batch normalisation gives single precision, and passes its input on where it has no axis."""

    def call(real, self, x, state, **options):
        try:
            out, state = real(x, state, **options)
        except NameError:
            return x, state
        return out.astype(jnp.float32), state

    return {"nn.BatchNorm": _called(eqx.nn.BatchNorm, call, "SinglePrecisionNorm")}


@mutant("equinox", kills=[_ID + "batch_norm_takes_narrow_inputs"])
def narrow_inputs_are_summed(eqx):
    """Batch normalisation gives one number for an input of half precision."""

    def call(real, self, x, state, **options):
        out, state = real(x, state, **options)
        return out.sum() if x.dtype.itemsize == 2 else out, state

    return {"nn.BatchNorm": _called(eqx.nn.BatchNorm, call, "SummingNorm")}


@mutant("equinox", kills=[_ID + "batch_norm_normalises_its_first_batch"])
def batch_norm_divides_by_the_variance(eqx):
    """Batch normalisation divides by the root of twice the variance."""

    def call(real, self, x, state, **options):
        out, state = real(x, state, **options)
        return out / jnp.sqrt(2), state

    return {"nn.BatchNorm": _called(eqx.nn.BatchNorm, call, "HalvedNorm")}


@mutant("equinox", kills=[_ID + "inference_leaves_the_statistics"])
def inference_updates_the_statistics(eqx):
    """Batch normalisation updates its statistics at inference, too."""

    def call(real, self, x, state, **options):
        copy = jtu.tree_map(lambda leaf: leaf, state)
        _, updated = real(x, copy, inference=False)
        return real(x, state, **options)[0], updated

    return {"nn.BatchNorm": _called(eqx.nn.BatchNorm, call, "UpdatingNorm")}


@mutant("equinox", kills=[_ID + "the_argument_overrides_the_mode"])
def the_mode_overrides_the_argument(eqx):
    """The argument `inference` counts only while the layer trains."""

    def call(real, self, x, state, *, inference=None, **options):
        return real(x, state, inference=self.inference or inference, **options)

    return {"nn.BatchNorm": _called(eqx.nn.BatchNorm, call, "ModeFirstNorm")}


@mutant("equinox", kills=[_ID + "running_statistics_of_one_batch_are_its_own"])
def the_running_variance_decays(eqx):
    """The variance at inference is that of the batches times the momentum."""

    def call(real, self, x, state, *, inference=None, **options):
        out, state = real(x, state, inference=inference, **options)
        return (out / jnp.sqrt(self.momentum) if inference else out), state

    return {"nn.BatchNorm": _called(eqx.nn.BatchNorm, call, "DecayingNorm")}


@mutant("equinox", kills=[_ID + "inference_before_training_changes_little"])
def the_variance_counts_twice(eqx):
    """At inference the variance counts twice."""

    def call(real, self, x, state, *, inference=None, **options):
        out, state = real(x, state, inference=inference, **options)
        return (out / jnp.sqrt(2) if inference else out), state

    return {"nn.BatchNorm": _called(eqx.nn.BatchNorm, call, "TwiceNorm")}


@mutant("equinox", kills=[_ID + "several_axes_are_one"])
def only_the_first_axis_counts(eqx):
    """Of several axes the statistics are taken over the first one."""

    def BatchNorm(size, axis_name, *args, **kwargs):
        one = axis_name if isinstance(axis_name, str) else axis_name[0]
        return eqx.nn.BatchNorm(size, one, *args, **kwargs)

    return {"nn.BatchNorm": BatchNorm}


@mutant("equinox", kills=[_ID + "a_jitted_step_is_the_step"])
def jitted_functions_are_rounded(eqx):
    """A jitted function computes in half precision."""

    def rounded(leaf):
        floating = eqx.is_array(leaf) and leaf.dtype == jnp.float32
        return leaf.astype(jnp.bfloat16).astype(jnp.float32) if floating else leaf

    def filter_jit(function, **options):
        jitted = eqx.filter_jit(function, **options)
        return lambda *args, **kwargs: jtu.tree_map(rounded, jitted(*args, **kwargs))

    return {"filter_jit": filter_jit}


@mutant("equinox", kills=[_ID + "spectral_norm_keeps_shapes_and_dtypes"])
def spectral_norm_gives_single_precision(eqx):
    """Spectral normalisation computes in single precision."""

    def call(real, self, x, state, **options):
        out, state = real(x, state, **options)
        return out.astype(jnp.float32), state

    return {"nn.SpectralNorm": _called(eqx.nn.SpectralNorm, call, "SinglePrecisionSpectral")}


@mutant("equinox", kills=[_ID + "inference_leaves_the_power_iterations"])
def power_iterations_go_on(eqx):
    """Spectral normalisation iterates at inference, too."""

    def call(real, self, x, state, *, inference=None, **options):
        _, updated = real(x, jtu.tree_map(lambda leaf: leaf, state), inference=False)
        values = jtu.tree_map(lambda leaf: leaf + 1, updated)
        return real(x, state, inference=inference, **options)[0], values

    return {"nn.SpectralNorm": _called(eqx.nn.SpectralNorm, call, "GoingOnSpectral")}


@mutant("equinox", kills=[_ID + "spectral_norm_is_free_of_scale"])
def the_weight_is_used_as_it_is(eqx):
    """Spectral normalisation divides by nothing."""

    def call(real, self, x, state, **options):
        return self.layer(x), real(x, state, **options)[1]

    return {"nn.SpectralNorm": _called(eqx.nn.SpectralNorm, call, "UndividedSpectral")}


@mutant("equinox", kills=[_ID + "a_sequence_calls_its_layers_in_order"])
def a_sequence_goes_backwards(eqx):
    """A sequence calls its last layer first."""

    def call(real, self, x, *args, **kwargs):
        return eqx.nn.Sequential(self.layers[::-1])(x, *args, **kwargs)

    return {"nn.Sequential": _called(eqx.nn.Sequential, call, "BackwardsSequence")}


@mutant("equinox", kills=[_ID + "a_sequence_gives_a_state_where_it_got_one"])
def a_sequence_keeps_a_state_it_has_no_use_for(eqx):
    """A sequence without stateful layers gives its output alone."""

    def call(real, self, x, *args, **kwargs):
        out = real(x, *args, **kwargs)
        return out[0] if args and not self.is_stateful() else out

    return {"nn.Sequential": _called(eqx.nn.Sequential, call, "KeepingSequence")}


@mutant("equinox", kills=[_ID + "a_sequence_is_as_stateful_as_its_layers"])
def a_sequence_goes_by_the_class(eqx):
    """A sequence is stateful where a layer is of a class that may be."""
    real = eqx.nn.Sequential

    def is_stateful(self):
        return any(isinstance(layer, eqx.nn.StatefulLayer) for layer in self.layers)

    body = {"is_stateful": is_stateful, "__module__": __name__, "__qualname__": "ByClassSequence"}
    return {"nn.Sequential": type(real)("ByClassSequence", (real,), body)}
