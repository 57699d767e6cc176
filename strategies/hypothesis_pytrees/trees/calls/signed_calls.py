"""Calls of functions of every signature through a transform, beside what they are to equal."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from hypothesis import assume, strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.signatures import ROWS, SIGNATURES, Signature, bind_signed
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree


@dataclasses.dataclass(frozen=True)
class SignedWay:
    """A way to call a function.

    Args:
        kind: its text, of `function`, `bound`, `names`, `args` and `named`.
        end: what the function does with its arguments.
        wanted: text of what it is to equal.
    """

    kind: Kind
    end: str
    wanted: str


@st.composite
def signed_calls(
    draw: st.DrawFn,
    ways: Sequence[SignedWay],
    signatures: Sequence[Signature] = SIGNATURES,
    *,
    of: str = "",
) -> Recipe:
    """Draw a function, and bind `run`, which calls it in one of the ways, and `wanted`.

    Args:
        ways: the ways; one that the installed releases have is drawn.
        signatures: the forms of the function.
        of: the name of a library that `run` gets as its only argument; default: it gets none.
    """
    scope = Scope()
    there = available([one.kind for one in ways])
    chosen = draw(st.sampled_from([one for one in ways if one.kind in there]))
    scope.define(*chosen.kind.definitions)
    scope.note(*chosen.kind.features)
    leaves = pool(ROWS)
    trees = [
        draw_tree(draw, scope, leaves=leaves, kinds=CONTAINERS, max_leaves=3) for _ in range(2)
    ]
    # A map has the length of an array.
    assume("leaf" in scope.features or "signed_stacked" not in chosen.wanted)
    bind_signed(draw, scope, chosen.end, trees, signatures=signatures)
    text = re.sub(rf"\b{of}\.", "lib.", chosen.kind.template) if of else chosen.kind.template
    scope.bind("run", f"lambda {'lib' if of else ''}: {text}".replace("lambda :", "lambda:"))
    scope.bind("wanted", f"lambda: {chosen.wanted}")
    return scope.recipe()
