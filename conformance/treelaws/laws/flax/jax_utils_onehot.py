"""Flax: one-hot arrays of labels of any kind."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same

from .jax_utils import law

_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/training/common_utils.py#L70-L88"
_DTYPES = ("int32", "uint8", "int8", "int16", "uint32")
_LABELS = ("0", "[0, 1]", "[[2, 0], [1, 1]]", "[]", "[3, 1, 2]")
# By kind: numbers for `on_value` and `off_value`.
_NUMBERS = {
    "float": ("0.9", "0.0", "-2.5"),
    "int": ("1", "0", "-3"),
    "bool": ("True", "False"),
    "float32": ("np.float32(0.5)", "jnp.float32(2.0)"),
    "bfloat16": ("jnp.bfloat16(0.5)",),
    "int32": ("np.int32(4)", "jnp.int32(7)"),
}


@st.composite
def _labels(draw: st.DrawFn) -> Recipe:
    """Draw `labels`, the `size` of the rows, and `options`, the values on and off."""
    scope = Scope()
    scope.bind("labels", f"jnp.array({draw(st.sampled_from(_LABELS))}).astype({_dtype(draw)!r})")
    scope.bind("size", repr(draw(st.integers(4, 6))))
    kinds = {"on_value": "float", "off_value": "float"}
    texts = []
    for name in draw(st.lists(st.sampled_from(tuple(kinds)), unique=True)):
        kinds[name] = draw(st.sampled_from(tuple(_NUMBERS)))
        texts.append(f"{name}={draw(st.sampled_from(_NUMBERS[kinds[name]]))}")
    # JAX has one dtype for float and float32, and for int and int32.
    dtypes = {{"float": "float32", "int": "int32"}.get(kind, kind) for kind in kinds.values()}
    scope.note("values:mixed" if len(dtypes) > 1 else "values:alike")
    scope.bind("options", f"dict({', '.join(texts)})")
    return scope.recipe()


def _dtype(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(_DTYPES))


@law(
    "`onehot` gives `on_value` at the place of the label and `off_value` elsewhere, for labels of "
    "any integer dtype and shape and for values of any kind of number",
    source=_CODE,
    level="observed",
    needs={"training.common_utils.onehot"},
    case=_labels(),
)
def one_place_of_a_row_is_on(lib, case):
    got = lib.training.common_utils.onehot(case.labels, case.size, **case.options)
    values = {"on_value": 1.0, "off_value": 0.0, **case.options}
    hits = np.asarray(case.labels).astype(np.int64)[..., None] == np.arange(case.size)
    wanted = np.where(hits, np.float32(values["on_value"]), np.float32(values["off_value"]))
    same(np.asarray(got), wanted)
