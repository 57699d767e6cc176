"""Mutants of arguments, methods and boxes of modules that are converted from and to Linen."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "nnx.bridge."


def _without(nnx, *names):
    """Replace `to_linen` and `ToLinen` by functions that ignore some options."""

    def ignoring(make):
        return lambda *args, **options: make(
            *args, **{name: one for name, one in options.items() if name not in names}
        )

    return {
        "bridge.to_linen": ignoring(nnx.bridge.to_linen),
        "bridge.ToLinen": ignoring(nnx.bridge.ToLinen),
    }


@mutant("nnx", kills=[_ID + "arguments_make_the_converted_module"])
def streams_are_always_passed(nnx):
    """`ToLinen` ignores `skip_rng`."""
    return _without(nnx, "skip_rng")


@mutant("nnx", kills=[_ID + "held_modules_have_variables_below_their_names"])
def converted_modules_have_no_names(nnx):
    """`to_linen` ignores the name."""
    return _without(nnx, "name")


@mutant("nnx", kills=[_ID + "variables_are_stored_by_a_function"])
def metadata_is_always_kept(nnx):
    """`ToLinen` ignores `metadata_fn`."""
    return _without(nnx, "metadata_fn")


@mutant("nnx", kills=[_ID + "lazy_init_runs_the_method"])
def modules_start_with_their_call(nnx):
    """A converted module without variables runs `__call__` in the place of a method."""
    real = nnx.bridge.ToNNX

    class ToNNX(real):
        def __call__(self, *args, method=None, **options):
            if any(isinstance(held, nnx.Variable) for held in vars(self).values()):
                return super().__call__(*args, method=method, **options)
            return super().__call__(args[0])

    return {"bridge.ToNNX": ToNNX}


@mutant("nnx", kills=[_ID + "linen_methods_return_the_same"])
def methods_change_nothing(nnx):
    """A method of a converted module ignores `mutable`."""
    real = nnx.bridge.ToNNX

    class ToNNX(real):
        def __call__(self, *args, method=None, mutable=None, **options):
            return super().__call__(*args, method=method, **options)

    return {"bridge.ToNNX": ToNNX}


@mutant("nnx", kills=[_ID + "nnx_methods_return_the_same"])
def methods_return_the_opposite(nnx):
    """A method of a converted module of NNX returns its result with the other sign."""
    real = nnx.bridge.ToLinen

    class ToLinen(real):
        def __call__(self, *args, nnx_method=None, **options):
            result = super().__call__(*args, nnx_method=nnx_method, **options)
            return result if nnx_method is None else jtu.tree_map(lambda leaf: -leaf, result)

    return {"bridge.to_linen": lambda made, *args, **named: ToLinen(made, args, named)}


@mutant("nnx", kills=[_ID + "boxes_make_their_variables"])
def boxes_forget_the_metadata(nnx):
    """`to_nnx_variable` gives a Variable without metadata."""

    class NNXMeta(nnx.bridge.NNXMeta):
        def to_nnx_variable(self):
            return self.var_type(self.value)

    return {"bridge.NNXMeta": NNXMeta}


@mutant("nnx", kills=[_ID + "boxes_name_the_axes_of_the_mesh"])
def boxes_name_no_axis(nnx):
    """`get_partition_spec` of a box names no axis."""

    class NNXMeta(nnx.bridge.NNXMeta):
        def get_partition_spec(self):
            return jax.sharding.PartitionSpec()

    return {"bridge.NNXMeta": NNXMeta}
