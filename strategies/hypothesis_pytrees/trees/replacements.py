"""Replacements for selected nodes: values of every sort, and `replace_fn` functions."""

from __future__ import annotations

import functools

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .positions import bind_tree
from .selectors import Where, draw_selection
from .trees import every_kind, that_builds

# By feature, simplest first; `$tree` stands for the tree in which something is replaced.
_VALUES = {
    "leaf": "7",
    "str": "'new'",
    "array": "jax.device_put(np.float32([9.0]))",
    "none": "None",
    "empty-tuple": "()",
    "subtree": "[7, {'a': 8}]",
    # The root's type as a leaf, and a second node of that type inside the first.
    "class": "type($tree)",
    "own-type": "$tree",
}
_NODE, _MODULE = "node", "module"
_FUNCTIONS = {
    "identity": "lambda node: node",
    "none": "lambda node: None",
    "list": "lambda node: [node]",
    "alias": "lambda node: (node, node)",
    "empty-tuple": "lambda node: ()",
    "class": "lambda node: type(node)",
    "recording": "lambda node: $seen.append(node) or node",
}


@functools.cache
def _nodes(module: bool) -> tuple[Kind, ...]:
    """Return the kinds of inner nodes that are Equinox Modules, or those that are not."""
    return tuple(
        kind
        for kind in every_kind()
        if module == any("eqx." in text for text in (kind.template, *kind.definitions))
    )


def _draw_value(draw: st.DrawFn, scope: Scope, tree: str, equinox: bool) -> str:
    names = (*_VALUES, _NODE, _MODULE) if equinox and _nodes(True) else (*_VALUES, _NODE)
    name = names[draw(st.integers(0, len(names) - 1))]
    scope.note(f"replace:{name}")
    if name in _VALUES:
        return _VALUES[name].replace("$tree", tree)
    kinds = _nodes(name == _MODULE)
    kind = that_builds(kinds[draw(st.integers(0, len(kinds) - 1))])
    scope.define(*kind.definitions)
    return kind.text([str(7 + index) for index in range(kind.arity)])


def draw_replace(
    draw: st.DrawFn, scope: Scope, where: Where, tree: str = "tree", *, equinox: bool = True
) -> str:
    """Draw the replacement of the selected nodes, bind it and return its name.

    Args:
        where: the selector; several targets get a tuple or list of as many values, as `where` does.
        tree: name of the tree, bound already.
        equinox: also draw instances of `eqx.Module` classes; default `True`.
    """
    values = [_draw_value(draw, scope, tree, equinox) for _ in where.targets]
    if not where.form:
        return scope.bind("replace", values[0])
    joined = ", ".join(values)
    return scope.bind("replace", f"[{joined}]" if where.form == "list" else f"({joined},)")


def draw_replace_fn(draw: st.DrawFn, scope: Scope) -> str:
    """Draw a function that takes the old node and returns the new one, bind it and return its name.

    A recording one also binds `seen`, the list of the nodes that it was called with.
    """
    names = list(_FUNCTIONS)
    name = names[draw(st.integers(0, len(names) - 1))]
    text = _FUNCTIONS[name]
    if "$seen" in text:
        text = text.replace("$seen", scope.bind("seen", "[]"))
    scope.note(f"replace_fn:{name}")
    return scope.bind("replace_fn", text)


@st.composite
def edits(
    draw: st.DrawFn,
    trees: st.SearchStrategy[Recipe] | None = None,
    *,
    count: tuple[int, int] = (1, 3),
    subtrees: bool = True,
    none: bool = True,
    aliased: bool = True,
    positions: bool = True,
    surround: bool = True,
    equinox: bool = True,
    functions: bool = False,
) -> Recipe:
    """Draw a tree, a `where` selector and what to put there, as `eqx.tree_at` takes them.

    The recipe binds `tree`, `is_leaf`, `where` and `replace`, or `replace_fn` with `functions`.
    Features are those of `selections`, and `replace:` followed by `leaf`, `str`, `array`, `none`,
    `empty-tuple`, `subtree`, `class`, `own-type`, `node` or `module`, or `replace_fn:` followed by
    `identity`, `none`, `list`, `alias`, `empty-tuple`, `class` or `recording`.

    Args:
        trees: strategy of the tree's recipe; default `hypothesis_pytrees.trees()`.
        count: least and greatest number of targets, at least 1; default `(1, 3)`.
        subtrees: also select inner nodes, the root included; default `True`.
        none: also select `None`, which `is_leaf` then makes a leaf; default `True`.
        aliased: also select objects that stand at several positions; default `True`.
        positions: also select by leaf position; default `True`. Such a selector reaches another
            position once a leaf before it is replaced by a subtree.
        surround: put some trees into a list, beside `None`, `()` or themselves; default `True`.
        equinox: also draw instances of `eqx.Module` classes as values; default `True`.
        functions: bind a function of the old node instead of new values; default `False`.

    Raises:
        ValueError: `count` is not a pair of bounds from 1 up.

    Source: https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_at
    """
    scope = Scope()
    tree = bind_tree(draw, scope, trees)
    where = draw_selection(
        draw,
        scope,
        tree,
        count=count,
        subtrees=subtrees,
        none=none,
        aliased=aliased,
        positions=positions,
        surround=surround,
    )
    if functions:
        draw_replace_fn(draw, scope)
    else:
        draw_replace(draw, scope, where, tree, equinox=equinox)
    return scope.recipe()
