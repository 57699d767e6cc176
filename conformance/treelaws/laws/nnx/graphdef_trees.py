"""Flax NNX: trees of modules, Variables and arrays, which share modules and Variables."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, arrays, trees
from hypothesis_pytrees.nnx.modules import nnx_modules
from hypothesis_pytrees.nnx.variables import variables
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal, true

from ._model import apart, kind_of, references, same_graph, variables_of
from .graphdef import law

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"
# Containers whose keys can be those of a State.
_ROOTS = tuple(
    kind
    for kind in CONTAINERS
    if kind.arity and not {"dict:tuple-keys", "dict:int-keys"} & set(kind.features)
)


@st.composite
def _trees(draw: st.DrawFn, *, bare: bool = True) -> Recipe:
    """Draw `tree`, a container that may hold a module or a Variable several times.

    Args:
        bare: let it hold arrays, too.
    """
    scope = Scope()
    held = st.one_of(nnx_modules(cycles=True), variables(), *([arrays()] if bare else []))
    scope.bind("tree", draw(trees(held, kinds=_ROOTS, roots=_ROOTS, max_leaves=3)))
    return scope.recipe()


_TREE = _trees()


@law(
    "`merge` undoes `split` of a tree of modules, with the modules and Variables that they share",
    source=f"{_DOCS}#flax.nnx.split",
    level="should",
    needs={"split"},
    weight=0.5,
    case=_TREE,
)
def merge_undoes_split_of_a_tree(lib, case):
    same_graph(lib.merge(*lib.split(case.tree)), case.tree)


@law(
    "`clone` of a tree of modules returns an equal tree, which shares nothing with the original",
    source=f"{_DOCS}#flax.nnx.clone",
    level="should",
    needs={"clone"},
    weight=0.5,
    case=_TREE,
)
def a_clone_of_a_tree_is_equal(lib, case):
    clone = lib.clone(case.tree)
    same_graph(clone, case.tree)
    apart(clone, case.tree)


@law(
    "the State of a tree of modules holds each Variable once, under the path to it",
    source=f"{_DOCS}#flax.nnx.state",
    level="should",
    needs={"state"},
    weight=0.5,
    case=_TREE,
)
def the_state_of_a_tree_holds_each_variable_once(lib, case):
    flat = nnx_api.flat(lib, lib.state(case.tree))
    held = [variable for _, variable in variables_of(case.tree)]
    found = [leaf for leaf in flat.values() if kind_of(type(leaf)) == "variable"]
    equal(len(found), len(held))


@law(
    "`update` of a tree with the State of an equal tree changes nothing, and keeps its objects",
    source=f"{_DOCS}#flax.nnx.update",
    level="should",
    needs={"update"},
    weight=0.5,
    case=_trees(bare=False),
)
def an_equal_state_changes_no_tree(lib, case):
    """An array of its own in a container that cannot be changed is refused."""
    other = case.rebuild()
    before = references(case.tree)
    lib.update(case.tree, lib.state(other.tree))
    same_graph(case.tree, other.tree)
    kept = zip(references(case.tree), before, strict=True)
    true(all(one is old for (_, one), (_, old) in kept), case.tree, "the same objects")


@law(
    "`jit` of the identity returns a tree of modules with the very modules and Variables in it",
    source=f"{_GUIDE}#graph-updates-propagation",
    level="should",
    needs={"jit"},
    weight=0.15,
    case=_TREE,
)
def jit_returns_a_tree_of_the_very_modules(lib, case):
    found = lib.jit(lambda tree: tree)(case.tree)
    same_graph(found, case.tree)
    pairs = zip(references(found), references(case.tree), strict=True)
    true(all(one is given for (_, one), (_, given) in pairs), found, "the given objects")
