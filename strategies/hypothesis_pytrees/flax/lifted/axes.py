"""Calls of `nn.vmap` and `nn.scan`: modules with variables, arguments with axes, and options."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Scope

_BROADCAST = "flax.core.broadcast"
# Arguments of one index: tuples are shapes of arrays.
_ARGUMENTS: tuple[object, ...] = (
    (2,),
    (),
    {"a": (2,), "b": ()},
    {"a": (2,), "b": None},
    [(2,), {"a": ()}],
    None,
)
_OF_ARRAYS = tuple(shape for shape in _ARGUMENTS if "None" not in repr(shape))


class Argument(NamedTuple):
    """The texts of an argument of all indices, of that of one index, and of its axes."""

    whole: str
    one: str
    axes: str


class Arguments:
    """Draws arguments that are mapped or scanned over.

    Features are `whole:argument` for an argument, and `whole:part` for a part of one, that each
    index gets whole, `axes:tree` for axes within an argument, and `axis:` with the kind of an axis.

    Args:
        draw: the function of Hypothesis.
        scope: takes the features.
        size: the number of indices.
        loop: whether the axes are those of `nn.scan`.
    """

    def __init__(self, draw: st.DrawFn, scope: Scope, size: int, *, loop: bool) -> None:
        self._draw, self._scope, self._size = draw, scope, size
        self._whole = _BROADCAST if loop else "None"
        self._numbers = itertools.count()
        self.is_mapped = False

    def some(self, shapes: list[object]) -> tuple[list[Argument], str]:
        """Return arguments of these shapes, and the text of their axes, one for all or a tuple."""
        if self._draw(st.booleans()):
            axis = self._draw(st.sampled_from((0, -1)))
            return [self.one(shape, str(axis)) for shape in shapes], str(axis)
        found = [self.one(shape) for shape in shapes]
        return found, f"({''.join(f'{each.axes}, ' for each in found)})"

    def drawn(self, *, none: bool = True) -> object:
        """Return the shape of an argument.

        Args:
            none: whether it may be or hold None; default `True`.
        """
        return self._draw(st.sampled_from(_ARGUMENTS if none else _OF_ARRAYS))

    def one(self, shape: object, axis: str = "", place: str = "argument") -> Argument:
        """Return an argument.

        Args:
            shape: one of `_ARGUMENTS`, or a part of it.
            axis: the axis of all of it; default one that is drawn.
            place: `"argument"`, or `"part"` for a part of one.
        """
        if shape is None:
            return Argument("None", "None", axis or "None")
        if isinstance(shape, tuple):
            return self._array(shape, axis or self._axis(len(shape), place))
        axis = axis or self._draw(st.sampled_from(("", "0", "-1", self._whole)))
        if not axis:
            self._scope.note("axes:tree")
        elif axis == self._whole:
            self._scope.note(f"whole:{place}")
        if isinstance(shape, dict):
            held = {key: self.one(part, axis, "part") for key, part in shape.items()}
            texts = [
                f"{{{', '.join(f'{key!r}: {each[at]}' for key, each in held.items())}}}"
                for at in range(3)
            ]
        else:
            assert isinstance(shape, list)
            parts = [self.one(part, axis, "part") for part in shape]
            texts = [f"[{', '.join(each[at] for each in parts)}]" for at in range(3)]
        return Argument(texts[0], texts[1], axis or texts[2])

    def _axis(self, rank: int, place: str) -> str:
        """Return an axis of an array that has this rank for one index."""
        axis = self._draw(st.sampled_from((*range(-rank - 1, rank + 1), None)))
        self._scope.note(f"whole:{place}" if axis is None else f"axis:{_sign(axis)}")
        return self._whole if axis is None else str(axis)

    def _array(self, shape: tuple[int, ...], axis: str) -> Argument:
        start = next(self._numbers)
        one = f"flax_linen_numbers({shape}, {start})"
        if axis == self._whole:
            return Argument(one, one, axis)
        self.is_mapped = True
        at = int(axis) % (len(shape) + 1)
        whole = f"flax_linen_numbers({(*shape[:at], self._size, *shape[at:])}, {start})"
        return Argument(whole, one, axis)


def _sign(axis: int) -> str:
    return "negative" if axis < 0 else "first" if axis == 0 else "inner"


# The ranks of results of a `FlaxLinenSteps`, of which `fixed` is the same for each index.
_RESULTS = {"total": 0, "parts": 1, "fixed": 1}


def result_axes(draw: st.DrawFn, scope: Scope, *, loop: bool) -> str:
    """Return the text of axes of the second result of a `FlaxLinenSteps`."""
    whole = _BROADCAST if loop else "None"
    if draw(st.booleans()):
        return str(draw(st.sampled_from((0, -1))))
    texts: list[str] = []
    for name, rank in _RESULTS.items():
        axis = str(draw(st.sampled_from(range(-rank - 1, rank + 1))))
        if name == "fixed" and draw(st.booleans()):
            axis = whole
            scope.note("whole:result")
        texts.append(
            f"{name!r}: {f'({axis}, None)' if name == 'parts' and draw(st.booleans()) else axis}"
        )
    return f"{{{', '.join(texts)}}}"


def filter_of(draw: st.DrawFn, held: Sequence[str], others: Sequence[str]) -> str:
    """Return the text of a filter for the names `held`, and for none of the `others`.

    It can be the key of a mapping.
    """
    forms = ["tuple", "denied"] + (["name"] if len(held) == 1 else [])
    form = draw(st.sampled_from(forms + ([] if others else ["all"])))
    if form == "denied":
        return f"flax.core.DenyList({tuple(others)!r})"
    return {"all": "True", "tuple": repr(tuple(held)), "name": repr(held[0] if held else "")}[form]


def mapping_of(draw: st.DrawFn, scope: Scope, value_of: Mapping[str, str]) -> str:
    """Return the text of a mapping from filters that gives each name its value.

    The first filter that takes a name counts, so that the last one may take all. Features are
    `filters:denied` for keys that are `DenyList` or `DenyList` and `str`, and `filters:mixed` for
    keys of any other two types.

    Args:
        draw: the function of Hypothesis.
        scope: takes the features.
        value_of: the text of a value by name.
    """
    names = draw(st.permutations(tuple(value_of)))
    left, texts = list(names), list[str]()
    while left:
        value = value_of[left[0]]
        held = [name for name in left if value_of[name] == value]
        held = held if draw(st.booleans()) else held[:1]
        left = [name for name in left if name not in held]
        rest = left if draw(st.booleans()) else [name for name in names if name not in held]
        texts.append(f"{filter_of(draw, held, rest)}: {value}")
    kinds = {_FILTERS.get(text[0], "str") for text in texts}
    if len(texts) > 1 and kinds <= {"DenyList", "str"}:
        scope.note(*(["filters:denied"] if "DenyList" in kinds else []))
    elif len(kinds) > 1:
        scope.note("filters:mixed")
    return f"{{{', '.join(texts)}}}"


# The types of filters by the first character of their texts.
_FILTERS = {"f": "DenyList", "(": "tuple", "T": "bool"}


def size_option(draw: st.DrawFn, scope: Scope, name: str, size: int, is_mapped: bool) -> list[str]:
    """Return the option that gives the number of indices, if it is needed or drawn."""
    if is_mapped and draw(st.booleans()):
        return []
    scope.note("size:given")
    return [f"{name!r}: {size}"]
