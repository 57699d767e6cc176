"""Flax NNX modules with Variables stacked along axes that filters choose, and steps on them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import PLAIN, bind_way

from .variables import OWN_PARAM

Path = tuple[str, ...]

STACKED = """\
class NnxStacked(nnx.Module):
    def __init__(self, **attributes):
        for name, value in attributes.items():
            setattr(self, name, value)
"""
# Prefixes of such modules are functions, too.
CALLED_STACK = """\
class NnxCalledStack(NnxStacked):
    def __call__(self, x):
        return x
"""
_STEP = """\
def nnx_axes_step(module, x, operations):
    total = x
    for path, operation in operations:
        variable = functools.reduce(getattr, path, module)
        if 'read' in operation:
            total = total + variable.value.sum() * x
        if 'add' in operation:
            more = x if 'add x' in operation else 1
            variable.value = (variable.value + more).astype(variable.value.dtype)
    return total
"""
_TYPES = ("nnx.Param", "NnxWeight", "nnx.BatchStat", "nnx.Cache", "nnx.Variable")
_PARAMS = ("nnx.Param", "NnxWeight")
_SHAPES: Sequence[tuple[int, ...]] = ((), (2,), (2, 3))
_DTYPES = ("jnp.float32", "jnp.int32")
_PATHS: Sequence[Path] = (("a",), ("b",), ("inner", "a"), ("inner", "c"))
# Each filter with what it says of the type of a Variable and the path to it.
_FILTERS: Sequence[tuple[str, Callable[[str, Path], bool]]] = (
    ("nnx.Param", lambda cls, path: cls in _PARAMS),
    ("nnx.BatchStat", lambda cls, path: cls == "nnx.BatchStat"),
    ("nnx.Not(nnx.Param)", lambda cls, path: cls not in _PARAMS),
    ("nnx.PathContains('inner')", lambda cls, path: "inner" in path),
    ("(nnx.BatchStat, nnx.Cache)", lambda cls, path: cls in ("nnx.BatchStat", "nnx.Cache")),
    (
        "nnx.All(nnx.Param, nnx.PathContains('a'))",
        lambda cls, path: cls in _PARAMS and "a" in path,
    ),
    ("lambda path, value: path[-1] == 'a'", lambda cls, path: path[-1] == "a"),
    ("nnx.Variable", lambda cls, path: True),
)


@dataclasses.dataclass(frozen=True)
class Stacked:
    """A Variable of a module.

    Args:
        path: the names that lead to it.
        cls: its type.
        shape: that of one entry of the stack.
        axis: the text of the axis along which it is stacked, `"None"`, or `"nnx.Carry"`.
    """

    path: Path
    cls: str
    shape: tuple[int, ...]
    axis: str

    @property
    def mapped(self) -> bool:
        """Whether it holds a stack."""
        return self.axis not in ("None", "nnx.Carry")

    def value(self, size: int, number: int, dtype: str) -> str:
        """Return the text of its value.

        Args:
            size: entries of a stack.
            number: the first number in it.
            dtype: text of the dtype.
        """
        shape = list(self.shape)
        if self.mapped:
            axis = int(self.axis)
            shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, size)
        end = number + math.prod(shape)
        return f"jnp.arange({number}, {end}, dtype={dtype}).reshape({tuple(shape)})"


def _axis_of(chosen: Sequence[tuple[int, str]], cls: str, path: Path) -> str:
    return next(axis for index, axis in chosen if index < 0 or _FILTERS[index][1](cls, path))


@st.composite
def stacked_modules(
    draw: st.DrawFn,
    ways: Sequence[Kind] = (),
    *,
    carries: bool = False,
    most: int = 3,
) -> Recipe:
    """Draw a module, the axes of its Variables, and a step on one entry of the stack.

    Names: `module`; `axes`, pairs of a filter and an axis, of which the first whose filter matches
    holds for a Variable; `axis_of`, the axis by path; `size`, the number of entries; `x`, an array
    of so many numbers; `step`, a function of a module with one entry and a number, which returns a
    number and may write Variables; with ways also `run(step, module, x, axes)`.

    Args:
        ways: how a step can be run with each entry; one that the releases have is drawn; default
            none.
        carries: also draw `nnx.Carry` as an axis; default `False`.
        most: most entries of the stack, at least 1; default 3.
    """
    scope = Scope()
    scope.define(STACKED, OWN_PARAM, _STEP)
    size = draw(st.integers(1, most))
    table = ("0", "1", "-1", "None", *(("nnx.Carry",) if carries else ()))
    axes = st.sampled_from(table)
    numbers = st.lists(st.integers(0, len(_FILTERS) - 1), max_size=2, unique=True)
    chosen = [*((index, draw(axes)) for index in draw(numbers)), (-1, draw(axes))]
    paths = draw(st.lists(st.sampled_from(_PATHS), min_size=1, max_size=4, unique=True))
    operations, texts = [], dict[Path, str]()
    for number, path in enumerate(paths):
        cls = draw(st.sampled_from(_TYPES))
        axis = _axis_of(chosen, cls, path)
        shapes = _SHAPES[1:] if axis == "1" else _SHAPES
        one = Stacked(path, cls, draw(st.sampled_from(shapes)), axis)
        texts[path] = f"{cls}({one.value(size, 10 * number, draw(st.sampled_from(_DTYPES)))})"
        scope.note(f"axis:{axis}")
        how = draw(st.sampled_from(("read", "add", "read, add")))
        if axis == "None" and how != "read":
            scope.note("write:without-axis" if size == 1 else "write:without-axis-in-each-entry")
        operations.append(f"({path!r}, '{how}{' x' if axis != 'None' else ''}')")
    held = [f"{path[0]}={text}" for path, text in texts.items() if len(path) == 1]
    inner = [f"{path[1]}={text}" for path, text in texts.items() if len(path) == 2]
    if inner:
        held.append(f"inner=NnxStacked({', '.join(inner)})")
    root = draw(st.sampled_from(("NnxStacked", "NnxCalledStack")))
    scope.define(*([CALLED_STACK] if root == "NnxCalledStack" else []))
    scope.bind("module", f"{root}({', '.join(held)})")
    pairs = (f"({'...' if index < 0 else _FILTERS[index][0]}, {axis})" for index, axis in chosen)
    scope.bind("axes", f"[{', '.join(pairs)}]")
    by_path = (f"{path!r}: {_axis_of(chosen, _type(text), path)}" for path, text in texts.items())
    scope.bind("axis_of", f"{{{', '.join(by_path)}}}")
    scope.bind("size", str(size))
    scope.bind("x", f"jnp.arange(1, {size + 1}, dtype=jnp.float32)")
    listed = ", ".join(operations)
    scope.bind("step", f"functools.partial(nnx_axes_step, operations=[{listed}])")
    if ways:
        bind_way(draw, scope, ways, "step, module, x, axes", forms=PLAIN)
    return scope.recipe()


def _type(text: str) -> str:
    return text.partition("(")[0]
