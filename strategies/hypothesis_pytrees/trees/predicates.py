"""`is_leaf` predicates: by type, by identity, `None`, at the root, and ones that count calls."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .positions import bind_tree, names_of, positions_of, present_nodes, present_types

_FALSE, _NONE, _LISTS, _TYPE, _IDENTITY = "false", "none", "list-or-dict", "type", "identity"
_ROOT, _COUNTING, _COUNTING_TYPE = "root", "counting", "counting-type"
_FIXED = {
    _FALSE: "False",
    _NONE: "node is None",
    _LISTS: "isinstance(node, (list, dict))",
    _ROOT: "True",
    _COUNTING: "bool($calls.append(node))",
}
EVERY_PREDICATE = (_FALSE, _NONE, _LISTS, _TYPE, _IDENTITY, _ROOT, _COUNTING, _COUNTING_TYPE)


def draw_is_leaf(
    draw: st.DrawFn,
    scope: Scope,
    tree: str = "tree",
    *,
    kinds: tuple[str, ...] = EVERY_PREDICATE,
) -> str:
    """Draw an `is_leaf` predicate that returns `bool`, bind it and return its name.

    Args:
        tree: name of the tree, bound already.
        kinds: which predicates, simplest first; every one by default. `"type"` and `"identity"`
            name a node that is present, and become `"false"` where there is none.
    """
    kind = kinds[draw(st.integers(0, len(kinds) - 1))]
    text = _FIXED.get(kind) or _draw_present(draw, scope, tree, kind)
    if text is None:
        kind, text = _FALSE, _FIXED[_FALSE]
    if "$calls" in text:
        text = text.replace("$calls", scope.bind("calls", "[]"))
    scope.note(f"is_leaf:{kind}")
    return scope.bind("is_leaf", f"lambda node: {text}")


def _draw_present(draw: st.DrawFn, scope: Scope, tree: str, kind: str) -> str | None:
    """Draw an inner node that is present and write the condition that accepts it."""
    positions = positions_of(names_of(scope)[tree])
    options = (present_nodes if kind == _IDENTITY else present_types)(positions, tree)
    if not options:
        return None
    option = options[draw(st.integers(0, len(options) - 1))]
    if kind == _IDENTITY:
        return f"node is {scope.bind('part', option)}"
    accepted = f"isinstance(node, {option})"
    return f"bool($calls.append(node)) or {accepted}" if kind == _COUNTING_TYPE else accepted


@st.composite
def predicates(draw: st.DrawFn, trees: st.SearchStrategy[Recipe] | None = None) -> Recipe:
    """Draw a tree and an `is_leaf` predicate for it.

    The recipe binds `tree` and `is_leaf`; a counting predicate also binds `calls`, the list of the
    nodes that it was called with. Features: `is_leaf:` followed by `false`, `none`, `list-or-dict`,
    `type`, `identity`, `root`, `counting` or `counting-type`.

    Args:
        trees: strategy of the tree's recipe; default `hypothesis_pytrees.trees()`.
    """
    scope = Scope()
    draw_is_leaf(draw, scope, bind_tree(draw, scope, trees))
    return scope.recipe()
