"""Kinds: the entries of the tables from which trees draw their nodes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from .releases import Since

_SLOT = re.compile(r"\$(\d+)")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """One way to write a node or a leaf; two kinds are equal if they are the same object.

    Args:
        name: its name in features, for example `"namedtuple"`.
        template: expression text in which `$0`, `$1`, ... stand for the children.
        definitions: texts of the classes that the expression needs, bases first.
        features: further features, for example `"module:converter"`.
        takes: `"array"` if its children must be arrays; default any tree; for a kind without
            children, `"array"` if its leaves are arrays.
        picky: whether its constructor rejects some children, which are then drawn again; default
            `False`.
        holds: features of leaves that stand in its text, such as `"leaf:float32"`; laws that draw
            no such leaf get no such node. Default `None`: unknown.
        needs: features of a release that it uses, beside the names in its text.
    """

    name: str
    template: str
    definitions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    takes: str = ""
    picky: bool = False
    holds: frozenset[str] | None = None
    needs: tuple[Since, ...] = ()

    def __repr__(self) -> str:
        # Hypothesis prints strategies, and a table holds hundreds of kinds.
        return f"<{self.name}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Without it, Hypothesis prints the fields of a dataclass, whatever its repr.
        printer.text(repr(self))

    @property
    def arity(self) -> int:
        """Number of children."""
        return len(set(_SLOT.findall(self.template)))

    def text(self, children: Sequence[str] = ()) -> str:
        """Write the expression with the given texts as children."""
        return _SLOT.sub(lambda slot: children[int(slot[1])], self.template)
