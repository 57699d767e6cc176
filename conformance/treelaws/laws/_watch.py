"""Observes uses of leaves, constructor calls, and changes to nodes and their surroundings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import jax.tree_util as jtu

from treelaws.comparison.contents import contents

# The methods that Python and Equinox call while they make an instance.
HOOKS = frozenset({"__init__", "__new__", "__post_init__", "__check_init__"})
_LOOKS = [
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "hash",
    "bool",
    "len",
    "iter",
    "next",
    "contains",
    "getitem",
    "float",
    "int",
    "index",
    "complex",
    "array",
    "jax_array",
    "repr",
    "str",
    "format",
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "matmul",
    "neg",
    "abs",
    "call",
]
_SCALARS = (bool, int, float, complex, str, bytes, type(None))


class Looked(Exception):
    """Raised when a tree operation uses a leaf as a value."""


class WatchedLeaf:
    """A leaf that records each call of a special method on it, and raises `Looked`."""

    __slots__ = ("__weakref__", "looks")

    def __init__(self) -> None:
        self.looks: list[str] = []


def _watch(name: str) -> Callable[..., Any]:
    def look(leaf: WatchedLeaf, *_: Any, **__: Any) -> Any:
        leaf.looks.append(f"{name} was called on it by {_place(sys._getframe(1))}")
        raise Looked(leaf.looks[-1])

    return look


for _name in _LOOKS:
    setattr(WatchedLeaf, f"__{_name}__", _watch(f"__{_name}__"))


def looks_at(leaves: Sequence[WatchedLeaf], call: Callable[[], Any]) -> list[str]:
    """Run `call` and return a description of each use of a watched leaf as a value."""
    try:
        call()
    except Exception:
        # A library may wrap `Looked`; if no leaf was used, the error has another cause.
        if not any(leaf.looks for leaf in leaves):
            raise
    return [look for leaf in leaves for look in leaf.looks]


def hooks_run(call: Callable[[], Any], owner: type = object) -> list[str]:
    """Run `call` and return the names of the Python constructor methods that ran, each once.

    Args:
        call: the function to run.
        owner: only methods of instances of this class count; default every class.
    """
    found: dict[str, None] = {}

    def note(kind: type, frame: FrameType) -> None:
        found[f"{kind.__name__}.{frame.f_code.co_name}"] = None

    _watch_hooks(call, owner, note)
    return list(found)


def constructor_arguments(call: Callable[[], Any], owner: type) -> list[Any]:
    """Run `call` and return the arguments that constructors of a class were called with.

    Args:
        call: the function to run.
        owner: the class; calls from within its constructors, as of a base class, do not count.
    """
    found: list[Any] = []

    def note(_: type, frame: FrameType) -> None:
        if not _inside_a_hook(frame.f_back, owner):
            found.extend(list(frame.f_locals.values())[1:])

    _watch_hooks(call, owner, note)
    return found


def _watch_hooks(
    call: Callable[[], Any], owner: type, note: Callable[[type, FrameType], None]
) -> None:
    """Run `call` and note each constructor method of a class when it starts."""

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (kind := _hook_of(frame)) and issubclass(kind, owner):
            note(kind, frame)

    previous = sys.getprofile()
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(previous)


def _hook_of(frame: FrameType) -> type | None:
    """Return the class whose constructor method a frame runs, or `None`."""
    code = frame.f_code
    if code.co_name not in HOOKS or not code.co_varnames:
        return None
    first = frame.f_locals.get(code.co_varnames[0])
    return first if isinstance(first, type) else type(first)


def _inside_a_hook(frame: FrameType | None, owner: type) -> bool:
    while frame is not None:
        if (kind := _hook_of(frame)) and issubclass(kind, owner):
            return True
        frame = frame.f_back
    return False


def effects_of(call: Callable[[], Any], node: Any) -> list[str]:
    """Run `call` twice and describe its changes outside of instances, and the methods that ran.

    The attributes of the node's classes and the variables of the module that defines them are
    compared: scalars by value; lists, sets and dicts by their items. Only changes of the second run
    count, since the first may fill a cache.
    """
    call()
    before = _surroundings(type(node))
    hooks = hooks_run(call, type(node))
    after = _surroundings(type(node))
    changes = [
        f"{name}: {_short(before.get(name))} became {_short(after.get(name))}"
        for name in {**before, **after}
        if not _alike(before.get(name), after.get(name))
    ]
    return [*changes, f"hooks that ran: {', '.join(hooks) or 'none'}"] if changes else []


def snapshot(tree: Any) -> list[tuple[Any, dict[str, Any]]]:
    """Return every node of a tree with its contents, and those of its own lists and dicts."""
    # The root comes first, since the flatten may change it.
    root = _held(tree)
    nodes: list[Any] = []
    jtu.tree_flatten(tree, is_leaf=lambda node: bool(nodes.append(node)))
    return [(tree, root), *((node, _held(node)) for node in nodes[1:])]


def changes_since(taken: Sequence[tuple[Any, Mapping[str, Any]]]) -> list[str]:
    """Describe how the contents of the nodes differ from those in the snapshot."""
    return list(_changes(taken))


def _changes(taken: Sequence[tuple[Any, Mapping[str, Any]]]) -> Iterator[str]:
    for node, held in taken:
        now = _held(node)
        for name in {**held, **now}:
            if name not in now:
                yield f"{type(node).__name__} lost {name}"
            elif name not in held:
                yield f"{type(node).__name__} gained {name}"
            elif now[name] is not held[name]:
                yield f"{type(node).__name__} holds another object as {name}"
        if list(held) != list(now) and held.keys() == now.keys():
            yield f"{type(node).__name__} holds the same in another order"


def _held(node: Any) -> dict[str, Any]:
    held = contents(node)
    for name, value in list(held.items()):
        if type(value) in (list, dict):
            held.update({f"{name}{inner}": item for inner, item in contents(value).items()})
    return held


def _surroundings(kind: type) -> dict[str, Any]:
    """Return copies of the class attributes of a type and of the variables of its module."""
    found = {
        f"{base.__name__}.{name}": _copied(value)
        for base in kind.__mro__
        for name, value in vars(base).items()
        if _plain(name, value)
    }
    if kind.__module__ != "builtins":
        variables = vars(sys.modules[kind.__module__]).items()
        found.update({name: _copied(value) for name, value in variables if _plain(name, value)})
    return found


def _plain(name: str, value: Any) -> bool:
    dunder = name.startswith("__") and name.endswith("__")
    return not dunder and type(value) in (*_SCALARS, list, set, dict)


def _copied(value: Any) -> Any:
    return value if type(value) in _SCALARS else value.copy()


def _alike(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(one[key] is other[key] for key in one)
    if isinstance(one, (list, set)):
        return list(map(id, one)) == list(map(id, other))
    return one is other or one == other


def _short(value: Any) -> str:
    return repr(value) if type(value) in _SCALARS else f"a {type(value).__name__} of {len(value)}"


def _place(frame: FrameType) -> str:
    file = frame.f_code.co_filename.rpartition("/")[2]
    return f"{frame.f_code.co_name} ({file}:{frame.f_lineno})"
