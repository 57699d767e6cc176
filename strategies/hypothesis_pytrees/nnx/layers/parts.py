"""What the recipes of layers share: arrays whose numbers are counted, and shapes that broadcast."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

# Compiles nothing, and is an initializer as well.
COUNTED = '''\
def nnx_counted(key, shape, dtype=jnp.float32, out_sharding=None):
    """Return an array of numbers between -1 and 1."""
    numbers = np.sin(1.7 * np.arange(1, math.prod(shape) + 1)).reshape(shape)
    return jnp.asarray(numbers, dtype)
'''


def counted(shape: Sequence[int], dtype: str = "float32") -> str:
    """Return the text of an array.

    Args:
        shape: its shape.
        dtype: its dtype.
    """
    return f"nnx_counted(None, {tuple(shape)!r}, jnp.{dtype})"


@st.composite
def broadcastable(draw: st.DrawFn, shape: Sequence[int]) -> tuple[int, ...]:
    """Draw a shape that broadcasts to `shape`; its last axis is whole.

    Args:
        shape: the whole shape.
    """
    kept = [size if draw(st.booleans()) else 1 for size in shape[:-1]]
    dropped = draw(st.sampled_from((0, 0, 0, *range(len(shape)))))
    return (*kept, shape[-1])[dropped:]


def forms_of(name: str, shape: Sequence[int], whole: Sequence[int]) -> list[str]:
    """Return the features of an array that broadcasts to attention weights.

    Args:
        name: what it is called in features.
        shape: its shape.
        whole: that of the weights, `[batch..., heads, queries, keys]`.
    """
    found = [f"{name}:some"]
    if len(shape) < 2 or shape[-2] < whole[-2]:
        found.append(f"{name}:one-row")
    if 1 < math.prod(shape[:-3]) < math.prod(whole[:-3]):
        found.append(f"{name}:part-of-batch")
    return found


def chosen(draw: st.DrawFn, table: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Draw some of the options of a table, with the text of a value for each.

    Args:
        draw: as for a composite strategy.
        table: by name: texts of documented values.
    """
    names = draw(st.lists(st.sampled_from(tuple(table)), max_size=3, unique=True))
    return {name: draw(st.sampled_from(table[name])) for name in names}


def called(options: Mapping[str, str]) -> str:
    """Return the text of keyword arguments, each with a comma before it.

    Args:
        options: the text of each value by name.
    """
    return "".join(f", {name}={text}" for name, text in options.items())
