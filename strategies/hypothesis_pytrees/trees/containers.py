"""Containers that JAX registers itself: dict, OrderedDict, defaultdict, list, tuple, None."""

from __future__ import annotations

from hypothesis_pytrees.core.kinds import Kind

_PAIR = "Pair = collections.namedtuple('Pair', ['first', 'second'])\n"
_EMPTY = "Empty = collections.namedtuple('Empty', [])\n"
_TYPED = """\
class Sample(typing.NamedTuple):
    z: typing.Any
    a: typing.Any = None
"""

NONE = Kind("None", "None")
CONTAINERS: tuple[Kind, ...] = (
    Kind("list", "[$0]"),
    Kind("list", "[$0, $1]"),
    Kind("tuple", "($0,)"),
    Kind("tuple", "($0, $1)"),
    Kind("tuple", "($0, $1, $2)"),
    Kind("dict", "{'a': $0}"),
    Kind("dict", "{'b': $0, 'a': $1}", features=("dict:unsorted",)),
    Kind("dict", "{2: $0, -1: $1}", features=("dict:int-keys", "dict:unsorted")),
    Kind("dict", "{(0, 1): $0, (0, 0): $1}", features=("dict:tuple-keys", "dict:unsorted")),
    Kind("OrderedDict", "collections.OrderedDict([('b', $0), ('a', $1)])"),
    Kind(
        "defaultdict",
        "collections.defaultdict(list, {'b': $0, 'a': $1})",
        features=("defaultdict:unsorted",),
    ),
    Kind("namedtuple", "Pair($0, $1)", (_PAIR,)),
    Kind("namedtuple", "Sample(z=$0)", (_TYPED,), ("namedtuple:None-default",)),
    NONE,
    Kind("list", "[]", features=("empty",)),
    Kind("tuple", "()", features=("empty",)),
    Kind("dict", "{}", features=("empty",)),
    Kind("OrderedDict", "collections.OrderedDict()", features=("empty",)),
    Kind("defaultdict", "collections.defaultdict(int)", features=("empty",)),
    Kind("namedtuple", "Empty()", (_EMPTY,), ("empty",)),
)
