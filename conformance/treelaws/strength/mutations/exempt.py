"""The parts of a source whose changes nobody can notice, or that no law is about.

Left out are docstrings and other texts that stand alone, annotations, type variables, type aliases
and casts, overloads and blocks for type checkers, `__all__`, `__doc__`, the messages of exceptions,
of assertions and of warnings, and private aliases that nobody reads.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from .extras import tool

_OF_TYPES = {"TypeVar", "ParamSpec", "TypeVarTuple", "NewType"}
# Subscripted, these are types.
_GENERIC = {
    *("Annotated", "Callable", "ClassVar", "Iterable", "Iterator", "Literal", "Mapping"),
    *("MutableMapping", "Optional", "Sequence", "Type", "Union"),
    *("dict", "frozenset", "list", "set", "tuple", "type"),
}
_DOCUMENTATION = {"__all__", "__doc__"}


def nodes(node: Any, unread: Container[str] = ()) -> Iterator[Any]:
    """Yield a node and all below it that are not exempt.

    Args:
        node: a node of a syntax tree.
        unread: assignments of aliases that nobody reads.
    """
    cst = tool("libcst")
    if node in unread:
        return
    if _is_for_type_checkers(cst, node):
        yield from nodes(node.orelse, unread) if node.orelse else ()
        return
    yield node
    for child in _parts(cst, node):
        yield from nodes(child, unread)


def _parts(cst: Any, node: Any) -> Iterable[Any]:
    """Return the children of a node that are not exempt."""
    if isinstance(node, cst.Raise) or _is_call_of(cst, node, {"warn"}):
        return ()
    if isinstance(node, cst.Assert):
        return (node.test,)
    return [child for child in node.children if not _is_exempt(cst, child)]


def _is_exempt(cst: Any, node: Any) -> bool:
    if isinstance(node, cst.Annotation):
        return True
    if isinstance(node, cst.Expr):
        return isinstance(node.value, (cst.SimpleString, cst.ConcatenatedString))
    if isinstance(node, cst.Assign):
        documents = any(_name(cst, one.target) in _DOCUMENTATION for one in node.targets)
        return documents or _is_call_of(cst, node.value, _OF_TYPES) or _is_type(cst, node.value)
    return _is_call_of(cst, node, {*_OF_TYPES, "cast"}) or _is_overload(cst, node)


def _is_type(cst: Any, node: Any) -> bool:
    """Return whether an expression is a type as an alias names it, such as `Callable[..., Any]`."""
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.BitOr) and _is_type(cst, node.left)
    subscripted = isinstance(node, cst.Subscript) and _name(cst, node.value) in _GENERIC
    return subscripted or (isinstance(node, cst.Name) and node.value == "Any")


def _is_for_type_checkers(cst: Any, node: Any) -> bool:
    return isinstance(node, cst.If) and _name(cst, node.test) == "TYPE_CHECKING"


def _is_call_of(cst: Any, node: Any, names: Container[str]) -> bool:
    return isinstance(node, cst.Call) and _name(cst, node.func) in names


def _is_overload(cst: Any, node: Any) -> bool:
    decorators = node.decorators if isinstance(node, cst.FunctionDef) else ()
    return any(_name(cst, one.decorator) == "overload" for one in decorators)


def _name(cst: Any, node: Any) -> str:
    """Return the last part of a name such as `warnings.warn`."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""
