"""Subclasses of dict, list and tuple are called with what they hold, unless they say otherwise."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

import pytest

from hypothesis_pytrees.classes.inferred import NothingInferred, kinds_of_class, never_given

_DICTS = ["Box({'a': $0, 'b': $1})", "Box({})"]


class _Plain(dict[str, Any]):
    pass


class _Ordered(collections.OrderedDict[str, Any]):
    pass


class _PassesOn(dict[str, Any]):
    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)


class _Listed(list[Any]):
    pass


class _Fixed(tuple[Any, ...]):
    pass


class _Numbered(tuple[int, ...]):
    def __new__(cls, x: int) -> _Numbered:
        return super().__new__(cls, (x, x))


class _Empty(dict[str, Any]):
    def __init__(self) -> None:
        super().__init__(a=1)


class _NoFields(NamedTuple):
    pass


class _Untold:
    def __init__(self, *args, scale=1.0, **kwargs) -> None:
        self.args = args


@pytest.mark.parametrize(
    ("found", "templates"),
    [
        (_Plain, _DICTS),
        (_Ordered, _DICTS),
        (_PassesOn, _DICTS),
        (_Listed, ["Box([$0, $1])", "Box([])"]),
        (_Fixed, ["Box(($0, $1))", "Box(())"]),
        (_Numbered, ["Box(x=3)", "Box(x=0)", "Box(x=1)", "Box(x=2)"]),
        (_Empty, ["Box()"]),
        (_NoFields, ["Box()"]),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_container_is_called_with_its_contents(found: type, templates: list[str]) -> None:
    kinds = kinds_of_class(found, name="Box", called="Box", definition="")
    assert [kind.template for kind in kinds] == templates


def test_arguments_that_nothing_is_known_of_are_never_given() -> None:
    assert never_given(_Untold) == ["args", "scale", "kwargs"]
    assert never_given(_Plain) == []
    with pytest.raises(NothingInferred, match="int"):
        never_given(int)
