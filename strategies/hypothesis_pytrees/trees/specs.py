"""Filter specs: prefix trees of Python bools and callables, as `eqx.partition` takes them."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .positions import bind_tree
from .predicates import draw_is_leaf
from .prefixes import CUTS, draw_prefix

# Every one is a leaf itself and answers for `None` and for inner nodes too, since a predicate may
# turn those into leaves.
_PLAIN = (
    "callable",
    "lambda leaf: isinstance(leaf, jax.Array)",
    "lambda leaf: hasattr(leaf, 'dtype')",
    "lambda leaf: isinstance(leaf, (bool, int, float))",
    "lambda leaf: leaf is None",
)
_EQUINOX = (
    "eqx.is_array",
    "eqx.is_inexact_array",
    "eqx.is_array_like",
    "eqx.is_inexact_array_like",
)
_BOOLS = ("True", "False")
_COMPUTED = "computed"


def draw_spec(
    draw: st.DrawFn,
    scope: Scope,
    tree: str = "tree",
    *,
    is_leaf: str | None = None,
    equinox: bool = True,
    callables: bool = True,
) -> str:
    """Draw a prefix filter spec for a tree, bind it and return its name.

    Args:
        tree: name of the tree, bound already.
        is_leaf: name of a bound predicate; no leaf of the spec lies inside a node it accepts.
        equinox: also draw Equinox' own predicates such as `eqx.is_array`; default `True`.
        callables: draw callables beside Python bools; default `True`.
    """
    functions = (*_EQUINOX, *_PLAIN) if equinox else _PLAIN
    cuts = (*CUTS, _COMPUTED) if callables else CUTS
    cut = cuts[draw(st.integers(0, len(cuts) - 1))]
    prefix = draw_prefix(draw, scope, "leaves" if cut == _COMPUTED else cut, tree, is_leaf=is_leaf)
    if cut == _COMPUTED and prefix.structure:
        # The idiom `tree_map(eqx.is_array, tree)`: what a callable says, leaf by leaf.
        function = functions[draw(st.integers(0, len(functions) - 1))]
        option = f", is_leaf={is_leaf}" if is_leaf else ""
        scope.note("spec:computed", "spec:bool")
        return scope.bind("spec", f"jtu.tree_map({function}, {tree}{option})")
    table = (*_BOOLS, *functions) if callables else _BOOLS
    index = st.integers(0, len(table) - 1)
    leaves = [table[draw(index)] for _ in prefix.subtrees]
    bools = sum(leaf in _BOOLS for leaf in leaves)
    present = {
        "bool": bools,
        "callable": len(leaves) - bools,
        "mixed": bools * (len(leaves) - bools),
    }
    scope.note(f"spec:{prefix.cut}", *(f"spec:{name}" for name in present if present[name]))
    return scope.bind("spec", prefix.text(leaves))


@st.composite
def partitions(
    draw: st.DrawFn,
    trees: st.SearchStrategy[Recipe] | None = None,
    *,
    is_leaf: bool = True,
    equinox: bool = True,
    callables: bool = True,
) -> Recipe:
    """Draw a tree and a prefix filter spec for it, as `eqx.filter` and `eqx.partition` take them.

    The recipe binds `tree`, `spec` and `is_leaf`, which is `None` or a predicate. Each leaf of the
    spec is a Python bool or a function that accepts any leaf, `None` and inner nodes included, and
    none lies strictly inside a node that `is_leaf` accepts. Features: where the spec ends
    (`spec:root`, `spec:leaves`, `spec:children`, `spec:type`, `spec:node`, `spec:computed`), what
    its leaves are (`spec:bool`, `spec:callable`, `spec:mixed`) and those of `predicates`.

    Args:
        trees: strategy of the tree's recipe; default `hypothesis_pytrees.trees()`.
        is_leaf: draw an `is_leaf` predicate half of the time; default `True`.
        equinox: also draw Equinox' own predicates as spec leaves; default `True`.
        callables: draw callables beside Python bools; default `True`.

    Source: https://docs.kidger.site/equinox/api/manipulation/#equinox.filter
    """
    scope = Scope()
    tree = bind_tree(draw, scope, trees)
    predicate = None
    if is_leaf and draw(st.booleans()):
        predicate = draw_is_leaf(draw, scope, tree)
    else:
        scope.bind("is_leaf", "None")
    draw_spec(draw, scope, tree, is_leaf=predicate, equinox=equinox, callables=callables)
    return scope.recipe()
