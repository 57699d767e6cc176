"""Callables other than plain functions, each as text that makes a new one."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from .availability import available
from .kinds import Kind
from .recipe import Recipe, Scope

_SLOTS = """\
class SlottedCallable:
    __slots__ = ('number',)

    def __call__(self, tree):
        return tree
"""
_SLOTS_WEAK = """\
class SlottedWeakCallable:
    __slots__ = ('number', '__weakref__')

    def __call__(self, tree):
        return tree
"""
_RECORD = """\
@dataclasses.dataclass(slots=True, frozen=$frozen)
class SlottedRecord$frozen:
    number: int = 0

    def __call__(self, tree):
        return tree
"""
_EQUAL = """\
class EqualCallable:
    __slots__ = ()

    def __eq__(self, other):
        return type(other) is EqualCallable

    def __hash__(self):
        return 1

    def __call__(self, tree):
        return tree
"""
_TUPLE = """\
class TupleCallable(collections.namedtuple('TupleCallable', ['number'])):
    __slots__ = ()

    def __call__(self, tree):
        return tree
"""


def _callable(name: str, text: str, *definitions: str, weak: bool = False) -> Kind:
    features = (f"callable:{name}", "callable:weakly-referenceable" if weak else "callable:strong")
    return Kind("callable", text, definitions, features)


# Each takes a tuple of two arrays.
CALLABLES: Sequence[Kind] = (
    _callable("itemgetter", "operator.itemgetter(0)"),
    _callable("itemgetters", "operator.itemgetter(0, 1)"),
    _callable("attrgetter", "operator.attrgetter('__class__')"),
    _callable("methodcaller", "operator.methodcaller('__getitem__', 0)"),
    _callable("slots", "SlottedCallable()", _SLOTS),
    _callable("slots-weak", "SlottedWeakCallable()", _SLOTS_WEAK, weak=True),
    _callable("record", "SlottedRecordFalse()", _RECORD.replace("$frozen", "False")),
    _callable("frozen-record", "SlottedRecordTrue()", _RECORD.replace("$frozen", "True")),
    _callable("equal", "EqualCallable()", _EQUAL),
    _callable("named-tuple", "TupleCallable(1)", _TUPLE),
    _callable("method-wrapper", "(lambda tree: tree).__call__"),
    _callable("slot-wrapper", "tuple.__len__"),
    _callable("bound-builtin", "[1].count"),
    _callable("builtin", "tuple", weak=True),
    _callable("method", "SlottedCallable().__call__", _SLOTS, weak=True),
    _callable("partial", "functools.partial(operator.itemgetter(0))", weak=True),
    _callable("tree-partial", "jtu.Partial(operator.itemgetter(0))", weak=True),
    _callable("function", "(lambda tree: tree)", weak=True),
    _callable("cached", "functools.lru_cache(len)", weak=True),
)


@st.composite
def callables(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Bind `make`, which makes a callable of some kind, and `wrap`, which transforms one.

    Args:
        ways: the ways to transform one, expressions of `function`.
    """
    scope = Scope()
    kind, way = draw(st.sampled_from(CALLABLES)), draw(st.sampled_from(available(ways)))
    for drawn in (kind, way):
        scope.define(*drawn.definitions)
        scope.note(*drawn.features)
    scope.bind("make", f"lambda: {kind.template}")
    scope.bind("wrap", f"lambda function: {way.template}")
    scope.bind("times", str(draw(st.integers(2, 9))))
    return scope.recipe()
