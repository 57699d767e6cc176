"""Flax NNX: trees of modules, Variables and arrays, which share modules and Variables."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope, arrays, trees
from hypothesis_pytrees.core.releases import ARRAY_ATTRIBUTES, INFERRED_FIELDS, VARIABLE_RESULTS
from hypothesis_pytrees.nnx.modules import nnx_modules
from hypothesis_pytrees.nnx.variables import variables
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal, same, true

from ._inputs import compilable
from ._model import apart, kind_of, references, same_graph, variables_of
from .graphdef import law

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/graph.html"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"
_RECORD = """\
@jtu.register_dataclass
@dataclasses.dataclass
class TreeRecord:
    second: typing.Any
    first: typing.Any
"""
_RECORDS = Kind("record", "TreeRecord($0, $1)", (_RECORD,), needs=(INFERRED_FIELDS,))
# Containers whose keys can be those of a State.
_ROOTS = (
    *(kind for kind in CONTAINERS if kind.arity),
    _RECORDS,
)


@st.composite
def _trees(draw: st.DrawFn, *, bare: bool = True, lone: bool = True, cycles: bool = True) -> Recipe:
    """Draw `tree`, a container that may hold a module or a Variable several times.

    Args:
        bare: let it hold arrays, too.
        lone: let it hold Variables outside of modules, too.
        cycles: let modules hold themselves.
    """
    scope = Scope()
    leaves = [arrays()] if bare and not ARRAY_ATTRIBUTES.lacking() else []
    alone = [variables()] if lone else []
    held = st.one_of(nnx_modules(cycles=cycles), *alone, *leaves)
    scope.bind("tree", draw(trees(held, kinds=_ROOTS, roots=_ROOTS, max_leaves=3)))
    return scope.recipe()


_TREE = _trees()


@st.composite
def _leaves(draw: st.DrawFn) -> Recipe:
    """Draw `leaf`, an array or another value that holds no further values."""
    scope = Scope()
    others = ("3", "'text'", "object()", "math.sqrt")
    scope.bind("leaf", draw(arrays() | st.sampled_from(others)))
    return scope.recipe()


@law(
    "`split`, `flatten`, `graphdef` and `iter_graph` take a leaf for a node, and `merge` and "
    "`unflatten` give the very leaf again",
    # The test is about `split` and `merge` of a number, an array and a Variable.
    source="https://github.com/google/flax/blob/v0.12.8/tests/nnx/graph_utils_test.py",
    level="observed",
    needs={"merge_copies_on_demand", "flatten", "unflatten", "split", "graphdef", "iter_graph"},
    case=_leaves(),
)
def a_leaf_is_a_node(lib, case):
    graphdef, held = lib.split(case.leaf)
    flat_graphdef, flat = lib.flatten(case.leaf)
    equal([flat_graphdef, lib.graphdef(case.leaf)], [graphdef, graphdef])
    given = [lib.merge(graphdef, held), lib.unflatten(flat_graphdef, flat)]
    same(given, [case.leaf] * 2, identical=True)
    same(list(lib.iter_graph(case.leaf)), [((), case.leaf)], identical=True)


@law(
    "`unflatten` undoes `flatten` of a tree of modules, and takes the State of `split`, too",
    source=f"{_DOCS}#flax.nnx.flatten",
    level="should",
    needs={"flatten", "unflatten"},
    case=_TREE,
)
def unflatten_undoes_flatten_of_a_tree(lib, case):
    for parts in (lib.flatten(case.tree), lib.split(case.tree)):
        same_graph(lib.unflatten(*parts), case.rebuild().tree)


@law(
    "the GraphDef of a tree of modules is that of `split`; `iter_graph` meets each of its modules "
    "and Variables, and `recursive_map` gives the function all their types",
    source=f"{_DOCS}#flax.nnx.iter_graph",
    level="should",
    needs={"graphdef", "split", "iter_graph", "recursive_map"},
    # Quote: "Found cycle in the graph"; `recursive_map` raises ValueError for one.
    case=_trees(cycles=False),
)
def a_tree_is_walked_as_a_module(lib, case):
    equal(lib.graphdef(case.tree), lib.split(case.tree)[0])
    met, found = [id(one) for _, one in lib.iter_graph(case.tree)], references(case.tree)
    equal({id(one) for _, one in found} - {*met}, set())
    given: list = []
    mapped = lib.recursive_map(lambda _, one: (given.append(type(one)), one)[1], case.tree)
    same_graph(mapped, case.tree)
    equal({type(one) for _, one in found} - {*given}, set())


@law(
    "`merge` undoes `split` of a tree of modules, with the modules and Variables that they share",
    source=f"{_DOCS}#flax.nnx.split",
    level="should",
    needs={"split"},
    case=_TREE,
)
def merge_undoes_split_of_a_tree(lib, case):
    same_graph(lib.merge(*lib.split(case.tree)), case.tree)


@law(
    "`clone` of a tree of modules returns an equal tree, which shares nothing with the original",
    source=f"{_DOCS}#flax.nnx.clone",
    level="should",
    needs={"clone"},
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
    # Quote: "Cannot set key [...] on immutable node", of an array in a tuple or, in older releases,
    # in any container.
    case=_trees(bare=False),
)
def an_equal_state_changes_no_tree(lib, case):
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
    case=_trees(lone=not VARIABLE_RESULTS.lacking()).filter(compilable),
)
def jit_returns_a_tree_of_the_very_modules(lib, case):
    found = lib.jit(lambda tree: tree)(case.tree)
    same_graph(found, case.tree)
    pairs = zip(references(found), references(case.tree), strict=True)
    true(all(one is given for (_, one), (_, given) in pairs), found, "the given objects")
