"""What a class of a registered node is put together from: its parts, and where it keeps them."""

from __future__ import annotations

import dataclasses

from hypothesis_pytrees.classes.grammar.traits import Trait

# In the lines of a trait: a list of the children, and the type whose `__new__` makes instances.
CHILDREN = "<children>"
ROOT = "<root>"
# In place of the constant of a trait: the names of the children.
NAMES = "<names>"


@dataclasses.dataclass(frozen=True)
class Part:
    """An argument of the constructor: a child, or aux data.

    Args:
        name: its name.
        passed: what the constructor is passed, where each `$` stands for a tree; empty: nothing.
        default: its default in the signature.
        stored: what the constructor makes of it; `{}` stands for the argument.
        read: what flatten makes of what is stored.
        aux: whether it is aux data.
    """

    name: str
    passed: str = "$"
    default: str = "None"
    stored: str = "{}"
    read: str = "{0}"
    aux: bool = False


@dataclasses.dataclass(frozen=True)
class Storage:
    """Where a node keeps its children; by default each in an attribute.

    Args:
        root: the type whose `__new__` makes instances.
        read: how a child is read, with `{node}`, and its `{name}` or `{index}`.
        written: how all are written, with `{values}` or `{keywords}`; empty: one by one.
        key: the type of the keys of the children, unless the class has others.
    """

    root: str = "object"
    read: str = "{node}.{name}"
    written: str = ""
    key: str = "GetAttrKey"


@dataclasses.dataclass(frozen=True, repr=False)
class NodeTrait(Trait):
    """One feature of a registered node.

    Args:
        parts: arguments of the constructor that the class has for it.
        storage: where the class keeps its children.
        constant: an expression that is aux data, whatever the instance holds.
        container: what flatten returns the children in; `{}` stands for a list of them.
        key: the text of a key, with the `{name}`, the `{index}` and the `{position}` of a child in
            the constructor and in what flatten returns.
    """

    parts: tuple[Part, ...] = ()
    storage: Storage | None = None
    constant: str = ""
    container: str = ""
    key: str = ""
