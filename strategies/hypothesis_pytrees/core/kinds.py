"""Kinds: the entries of the table from which trees draw, one entry a node."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

_SLOT = re.compile(r"\$(\d+)")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """One way to write a node or a leaf; two kinds are equal when they are one object.

    Args:
        name: what it is called in features, for example `"namedtuple"`.
        template: expression text in which `$0`, `$1`, ... stand for the children.
        definitions: texts of the classes that the expression needs, bases first.
        features: further names of what it holds, for example `"module:converter"`.
        takes: what its children must be: `"array"` for leaves that are arrays; default any tree;
            where it has none, what its leaves are.
    """

    name: str
    template: str
    definitions: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    takes: str = ""

    def __repr__(self) -> str:
        # Hypothesis prints strategies, and a table holds hundreds of kinds.
        return f"<{self.name}>"

    @property
    def arity(self) -> int:
        """Number of children."""
        return len(set(_SLOT.findall(self.template)))

    def text(self, children: Sequence[str] = ()) -> str:
        """Write the expression with the given texts as children."""
        return _SLOT.sub(lambda slot: children[int(slot[1])], self.template)
