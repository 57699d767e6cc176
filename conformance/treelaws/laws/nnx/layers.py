"""Flax NNX: layers take each documented option, and each documented form of their inputs."""

from __future__ import annotations

from hypothesis_pytrees.nnx.layers.convolved import convolved, pooled
from hypothesis_pytrees.nnx.layers.dense import dense, embedded, sequences
from treelaws.core.law import Topic

from ._near import near

law = Topic("nnx.layers", "Flax NNX: layers", family="nnx")
_PAGE = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/nn"
_HELPERS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/helpers.html"


@law(
    "a dense layer multiplies its input by its kernel, adds its bias, and computes in its dtype",
    source=f"{_PAGE}/linear.html",
    needs={"Linear", "LinearGeneral", "Einsum", "LoRA", "LoRALinear", "Embed"},
    case=dense(),
)
def dense_layers_multiply_by_their_kernel(lib, case):
    near(case.call(), case.wanted, case.dtype)


@law(
    "`Embed` returns the row of each integer, of a negative one counted from the end, and NaN for "
    "one that is too large",
    source=f"{_PAGE}/linear.html#flax.nnx.Embed",
    needs={"Embed"},
    case=embedded(),
)
def embeddings_return_rows(lib, case):
    near(case.call(), case.wanted, case.dtype)


@law(
    "`Conv` and `ConvTranspose` pad their input as `padding` says, stride, dilate and mask",
    source=f"{_PAGE}/linear.html#flax.nnx.Conv",
    needs={"Conv", "ConvTranspose"},
    case=convolved(),
)
def convolutions_pad_as_documented(lib, case):
    near(case.call(), case.wanted)


@law(
    "the functions of pooling reduce each window, with each form of strides and paddings",
    source="https://flax.readthedocs.io/en/latest/api_reference/flax.linen/layers.html#pooling",
    needs={"avg_pool", "max_pool", "min_pool"},
    case=pooled(),
)
def pools_reduce_windows(lib, case):
    near(case.call(), case.wanted)


@law(
    "`Sequential` calls its layers in order, with the keyword arguments that they take, and passes "
    "a tuple on by position and a dict by name",
    source=f"{_HELPERS}#flax.nnx.Sequential",
    # Tuples and dicts are documented for the layer of Linen that this one replaces.
    level="should",
    needs={"Sequential"},
    case=sequences(),
)
def sequences_call_their_layers_in_order(lib, case):
    near(case.call(), case.wanted)
