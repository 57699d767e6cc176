"""Mutants of layers of Flax NNX, of tables of modules, and of what a capture leaves behind."""

from __future__ import annotations

import jax.tree_util as jtu

from selftest.mutant import mutant


def _changed(nnx, change, *names):
    """Return subclasses of the layers whose calls return what `change` makes of the result."""

    def subclass(base):
        call = lambda self, *args, **options: change(base.__call__(self, *args, **options))
        return type(base)(base.__name__, (base,), {"__call__": call})

    return {name: subclass(getattr(nnx, name)) for name in names if hasattr(nnx, name)}


@mutant("nnx", kills=["nnx.layers.dense_layers_multiply_by_their_kernel"])
def dense_layers_are_doubled(nnx):
    """Dense layers return the double."""
    return _changed(nnx, lambda y: 2 * y, "Linear", "LinearGeneral", "Einsum", "LoRA")


@mutant("nnx", kills=["nnx.layers.embeddings_return_rows"])
def embeddings_are_shifted(nnx):
    """`Embed` returns rows with one more."""
    return _changed(nnx, lambda y: y + 1, "Embed")


@mutant("nnx", kills=["nnx.layers.convolutions_pad_as_documented"])
def convolutions_are_turned(nnx):
    """Convolutions return their places in the other order."""
    return _changed(nnx, lambda y: y[..., ::-1, :], "Conv", "ConvTranspose")


@mutant("nnx", kills=["nnx.layers.pools_reduce_windows"])
def pools_are_negated(nnx):
    """The functions of pooling return the negative."""
    negated = lambda name: lambda *args, **options: -getattr(nnx, name)(*args, **options)
    return {name: negated(name) for name in ("avg_pool", "max_pool", "min_pool")}


@mutant("nnx", kills=["nnx.layers.sequences_call_their_layers_in_order"])
def sequences_go_backwards(nnx):
    """`Sequential` calls its last layer first."""

    class Sequential(nnx.Sequential):
        def __init__(self, *layers):
            super().__init__(*reversed(layers))

    return {"Sequential": Sequential}


@mutant("nnx", kills=["nnx.layers.attention_weighs_the_values"])
def attention_is_scaled(nnx):
    """`dot_product_attention` returns half more."""
    real = nnx.dot_product_attention
    return {"dot_product_attention": lambda *args, **options: 1.5 * real(*args, **options)}


@mutant(
    "nnx",
    kills=[
        "nnx.layers.rope_turns_by_the_position",
        "nnx.layers.rotated_attention_weighs_the_values",
    ],
)
def rope_scales(nnx):
    """`RoPE` returns three times the turned features."""
    return _changed(nnx, lambda y: 3 * y, "RoPE")


@mutant(
    "nnx",
    kills=[
        "nnx.layers.layers_of_attention_project_the_attention",
        "nnx.layers.decoding_is_causal_attention",
    ],
)
def layers_of_attention_add_one(nnx):
    """`MultiHeadAttention` adds one to its result."""
    return _changed(nnx, lambda y: y + 1, "MultiHeadAttention")


@mutant("nnx", kills=["nnx.layers.layers_normalize_over_their_axes"])
def norms_are_doubled(nnx):
    """Layers that normalize return the double."""
    return _changed(nnx, lambda y: 2 * y, "BatchNorm", "LayerNorm", "RMSNorm", "GroupNorm")


@mutant("nnx", kills=["nnx.layers.weights_become_as_long_as_their_scale"])
def normal_weights_are_doubled(nnx):
    """`WeightNorm` returns the double."""
    return _changed(nnx, lambda y: 2 * y, "WeightNorm")


@mutant("nnx", kills=["nnx.layers.cells_compute_their_formula"])
def cells_return_their_carry_alone(nnx):
    """The outputs of recurrent cells are one more than their hidden state."""
    names = ("LSTMCell", "OptimizedLSTMCell", "SimpleCell", "GRUCell")
    return _changed(nnx, lambda pair: (pair[0], pair[1] + 1), *names)


@mutant("nnx", kills=["nnx.layers.sequences_are_steps_of_their_cell"])
def sequences_are_never_reversed(nnx):
    """`RNN` ignores `reverse`, in its constructor and its calls."""

    class RNN(nnx.RNN):
        def __init__(self, cell, *, reverse=False, **options):
            super().__init__(cell, **options)

        def __call__(self, inputs, *, reverse=None, **options):
            return super().__call__(inputs, **options)

    return {"RNN": RNN}


@mutant("nnx", kills=["nnx.layers.directions_are_merged"])
def directions_are_negated(nnx):
    """`Bidirectional` returns the negative of what it merges."""
    return _changed(nnx, lambda found: jtu.tree_map(lambda leaf: -leaf, found), "Bidirectional")


@mutant("nnx", kills=["nnx.layers.listed_arguments_are_taken"])
def an_argument_is_listed_alone(nnx):
    """`Embed` documents an argument that it does not take."""

    class Embed(nnx.Embed):
        """Embedding.

        Args:
          num_embeddings: number of embeddings.
          padding_idx: index of a row of zeros.
        """

    names = ("Embed", "Conv", "Dropout", "Linear", "Einsum", "RNN")
    return {str(name): Embed for name in names}


@mutant("nnx", kills=["nnx.layers.flags_do_the_same_however_set"])
def flags_of_calls_are_ignored(nnx):
    """`Dropout` and `BatchNorm` ignore the flag that their calls get."""

    class Dropout(nnx.Dropout):
        def __call__(self, inputs, *, deterministic=None, **options):
            return super().__call__(inputs, **options)

    class BatchNorm(nnx.BatchNorm):
        def __call__(self, x, use_running_average=None, **options):
            return super().__call__(x, **options)

    return {"Dropout": Dropout, "BatchNorm": BatchNorm}


@mutant("nnx", kills=["nnx.layers.dropout_drops_or_scales"])
def dropout_keeps_the_size(nnx):
    """`Dropout` does not scale what it keeps."""
    return _changed(nnx, lambda y: (y != 0).astype(y.dtype), "Dropout")


@mutant("nnx", kills=["nnx.tabulate.tables_have_a_row_for_each_module"])
def tables_are_cut(nnx):
    """`tabulate` returns the first characters of its table."""
    if not hasattr(nnx, "tabulate"):
        return {}
    return {"tabulate": lambda *args, **options: nnx.tabulate(*args, **options)[:8]}


@mutant("nnx", kills=["nnx.tabulate.tables_leave_modules_and_classes_alone"])
def tables_mark_classes(nnx):
    """`tabulate` leaves an attribute in the class of the module."""
    if not hasattr(nnx, "tabulate"):
        return {}

    def tabulate(module, *args, **options):
        text = nnx.tabulate(module, *args, **options)
        type(module).was_tabulated = text
        return text

    return {"tabulate": tabulate}


@mutant(
    "nnx",
    kills=[
        "nnx.capture.capturing_changes_no_result",
        "nnx.capture.captured_classes_stay_as_they_are",
    ],
)
def captures_mark_classes_and_double(nnx):
    """`capture` of a module leaves an attribute in its class, and doubles the result."""
    if not hasattr(nnx, "capture"):
        return {}

    def capture(module, *types, **options):
        captured = nnx.capture(module, *types, **options)

        def wrapper(*args):
            type(module).was_captured = True
            result, *states = captured(*args)
            return (2 * result, *states)

        return wrapper

    return {"capture": capture}
