"""JAX: the methods of `PyTreeDef`, and the functions that take one."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, leaves, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.compat import jax as jax_api
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same, true

from ._inputs import hostile_trees, mismatches

law = Topic("jax.treedef", "JAX: tree structures", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary"
_STRUCTURE = f"{_DOCS}/jax.tree.structure.html"
_CHILDREN = f"{_DOCS}/jax.tree_util.treedef_children.html"
_TUPLE = f"{_DOCS}/jax.tree_util.treedef_tuple.html"
_TRANSPOSE = f"{_DOCS}/jax.tree.transpose.html"
_TESTS = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"
_AUX = "https://docs.jax.dev/en/latest/101/pytrees.html#custom-pytree-nodes"
_EQ = "https://docs.python.org/3/reference/datamodel.html#object.__eq__"
# Nodes whose aux data can be pickled and equals the original afterwards.
_PICKLABLE = tuple(
    kind for kind in NODES if not {"node:unpicklable", "node:identity-aux"} & {*kind.features}
)
_contained = trees(leaves(hostile=True), kinds=CONTAINERS, history=True)
_ODD = ("1", "'PyTreeDef(*)'", "object()", "np.zeros(2)", "jnp.ones(2)", "float('nan')", "int")


@st.composite
def _strangers(draw: st.DrawFn) -> Recipe:
    """Bind `tree` and `other`, an object that is not the structure of `[tree]`."""
    scope = Scope()
    scope.bind("tree", draw_tree(draw, scope))
    form = draw(st.sampled_from(["object", "structure", "None"]))
    texts = {"object": draw(st.sampled_from(_ODD)), "structure": "jtu.tree_structure(tree)"}
    scope.note(f"other:{form}")
    scope.bind("other", texts.get(form, "None"))
    return scope.recipe()


@st.composite
def _compositions(
    draw: st.DrawFn, inner_leaves: bool = False, hollow: bool = False, wrong: bool = False
) -> Recipe:
    """Bind `outer`, `inner` and `tree`, which has `inner` at each leaf of `outer`.

    Args:
        inner_leaves: give `inner` at least one leaf, as `outer` has; default `False`.
        hollow: give `outer` no leaf; default `False`.
        wrong: let `tree` have another structure, with as many leaves or not; default `False`.
    """
    scope = Scope()
    for name in ("outer", "inner"):
        scope.bind(name, draw_tree(draw, scope, max_leaves=3))
        leafless = not jtu.tree_leaves(names_of(scope)[name])
        if hollow and name == "outer":
            scope.rebind(name, f"jtu.tree_map(lambda _: None, {name})")
        elif leafless and (wrong or inner_leaves or name == "outer"):
            scope.rebind(name, f"[{name}, 0]")
    tree = "jtu.tree_map(lambda _: jtu.tree_map(lambda _: object(), inner), outer)"
    if wrong:
        flat = f"jtu.tree_leaves({tree})"
        more, less, renamed = f"[{tree}, 0]", f"{flat}[1:]", f"{{'wrong': {flat}}}"
        tree = draw(st.sampled_from([more, less, renamed]))
        scope.note(*["transpose:equal-size"] * (tree == renamed))
    scope.bind("tree", tree)
    return scope.recipe()


@law(
    "`treedef_children` returns the structures of the children of the root",
    source=_CHILDREN,
    case=cases(one=hostile_trees, other=hostile_trees),
)
def children_are_the_structures_below_the_root(lib, case):
    structure = lib.tree_util.tree_structure
    wanted = [structure(case.one), structure(case.other)]
    for pair in ([case.one, case.other], (case.one, case.other), {"a": case.one, "b": case.other}):
        got = lib.tree_util.treedef_children(structure(pair))
        equal(got, wanted)


@law(
    "replacing the leaves of a tree by other leaves keeps its structure",
    source=f"{_DOCS}/jax.tree.map.html",
    case=cases(tree=hostile_trees),
)
def structure_does_not_depend_on_the_leaves(lib, case):
    treedef = lib.tree_util.tree_structure(case.tree)
    other = lib.tree_util.tree_map(lambda _: object(), case.tree)
    equal(lib.tree_util.tree_structure(other), treedef)


@law(
    "`num_leaves` counts the leaves, and `num_nodes` counts the nodes, leaves included",
    source="https://github.com/jax-ml/jax/issues/7377",
    case=cases(one=hostile_trees, other=hostile_trees),
    level="should",
)
def structure_counts_leaves_and_nodes(lib, case):
    one, other = map(lib.tree_util.tree_structure, (case.one, case.other))
    made = lib.tree_util.treedef_tuple([one, other])
    for treedef in (one, made, one.compose(other)):
        leaves = lib.tree_util.tree_leaves(treedef.unflatten([0] * treedef.num_leaves))
        same(treedef.num_leaves, len(leaves))
        same(treedef.num_nodes, _size(treedef))


@law(
    "`treedef_tuple` returns the structure of the tuple: the two are equal and have equal hashes",
    source=_TUPLE,
    case=cases(one=hostile_trees, other=hostile_trees),
)
def treedef_tuple_is_the_structure_of_the_tuple(lib, case):
    structure = lib.tree_util.tree_structure
    parts = (case.one, case.other, case.one)
    for count in range(4):
        wanted = structure(parts[:count])
        for iterable in (tuple, iter):
            made = lib.tree_util.treedef_tuple(iterable([*map(structure, parts[:count])]))
            equal(made, wanted)
            equal(hash(made), hash(wanted))


@law(
    "`node_data()` names the type of the root, and is `None` for a leaf",
    source="https://github.com/jax-ml/jax/blob/main/jaxlib/pytree.cc",
    case=cases(tree=hostile_trees),
    level="should",
)
def node_data_names_the_type_of_the_root(lib, case):
    data = lib.tree_util.tree_structure(case.tree).node_data()
    is_leaf = lib.tree_util.all_leaves([case.tree])
    true(data is None if is_leaf else data[0] is type(case.tree), data, f"{type(case.tree)}")


@law(
    "a structure can be rebuilt from its `node_data()` and its `children()`",
    source="https://github.com/jax-ml/jax/blob/main/jaxlib/pytree.cc",
    needs={"structure_from_node_data"},
    case=cases(tree=hostile_trees),
    level="should",
)
def structure_is_rebuilt_from_node_data_and_children(lib, case):
    treedef = lib.tree_util.tree_structure(case.tree)
    make = jax_api.treedef_maker(lib)
    made = make(lib.tree_util.default_registry, treedef.node_data(), treedef.children())
    equal(made, treedef)
    equal(hash(made), hash(treedef))
    leaves = lib.tree_util.tree_leaves(case.tree)
    same(made.unflatten(leaves), case.tree, identical=True)


@law(
    "`one.compose(other)` is the structure of a tree `one` with a tree `other` at each leaf",
    source=_TESTS,
    case=cases(one=_contained, other=_contained),
    level="should",
)
def compose_puts_a_structure_at_each_leaf(lib, case):
    """Only containers: JAX pull request 3659 promises nothing about users' own nodes."""
    one, other = map(lib.tree_util.tree_structure, (case.one, case.other))
    wanted = lib.tree_util.tree_structure(lib.tree_util.tree_map(lambda _: case.other, case.one))
    made = one.compose(other)
    equal(made, wanted)
    equal(hash(made), hash(wanted))


@law(
    "trees that are built alike have equal structures with equal hashes",
    source=_AUX,
    case=cases(tree=trees(kinds=(*CONTAINERS, *_PICKLABLE), history=True)),
)
def equal_trees_have_equal_structures(lib, case):
    one, other = map(lib.tree_util.tree_structure, (case.tree, case.rebuild().tree))
    equal(one, other)
    same(one != other, False)
    same(hash(one), hash(other))


@law(
    "trees that differ in type, arity, keys or aux data have different structures",
    source="https://github.com/jax-ml/jax/issues/4601",
    case=mismatches(),
    level="should",
)
def different_trees_have_different_structures(lib, case):
    one, other = map(lib.tree_util.tree_structure, (case.prefix, case.tree))
    differ(one, other, "the two structures")


@law(
    "`structure == other` is `False` for any other object, and raises no error",
    source=_EQ,
    case=_strangers(),
    level="should",
)
def structure_equals_no_other_object(lib, case):
    same(lib.tree_util.tree_structure([case.tree]) == case.other, False)


@law(
    "`structure != other` is `True` for any other object, and raises no error",
    source="https://docs.python.org/3/reference/datamodel.html#object.__ne__",
    case=_strangers(),
    level="should",
)
def structure_differs_from_any_other_object(lib, case):
    same(lib.tree_util.tree_structure([case.tree]) != case.other, True)


@law(
    "`repr(structure)` never fails and looks at no leaf",
    source=_STRUCTURE,
    case=cases(tree=hostile_trees),
    level="should",
)
def structure_has_a_repr(lib, case):
    treedef = lib.tree_util.tree_structure(case.tree)
    true(repr(treedef).startswith("PyTreeDef("), repr(treedef), "PyTreeDef(...)")
    same(str(treedef), repr(treedef))


@law(
    "`treedef_is_leaf` says whether the structure is a single node",
    source=f"{_DOCS}/jax.tree_util.treedef_is_leaf.html",
    case=cases(tree=hostile_trees),
)
def treedef_is_leaf_knows_single_nodes(lib, case):
    treedef = lib.tree_util.tree_structure(case.tree)
    same(lib.tree_util.treedef_is_leaf(treedef), not lib.tree_util.treedef_children(treedef))


@law(
    "pickled and copied structures equal the originals and have equal hashes",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=cases(tree=trees(kinds=(*CONTAINERS, *_PICKLABLE))),
    level="should",
)
def structure_survives_pickle_and_copy(lib, case):
    treedef = lib.tree_util.tree_structure(case.tree)
    loaded = pickle.loads(pickle.dumps(treedef))
    for twin in (loaded, copy.copy(treedef), copy.deepcopy(treedef)):
        equal(twin, treedef)
        equal(hash(twin), hash(treedef))


@law(
    "`tree_transpose` turns an outer tree of inner trees into an inner tree of outer trees, leaf "
    "by leaf",
    source=_TRANSPOSE,
    case=_compositions(),
)
def transpose_swaps_outer_and_inner(lib, case):
    """Only outer trees with a leaf: the leaves of the inner tree are in its place."""
    outer, inner = map(lib.tree_util.tree_structure, (case.outer, case.inner))
    got = lib.tree_util.tree_transpose(outer, inner, case.tree)
    rows = [lib.tree_util.tree_leaves(row) for row in outer.flatten_up_to(case.tree)]
    columns = [outer.unflatten([row[n] for row in rows]) for n in range(inner.num_leaves)]
    same(got, inner.unflatten(columns), identical=True)


@law(
    "`tree_transpose` with the structures exchanged undoes `tree_transpose`",
    source=_TRANSPOSE,
    case=_compositions(inner_leaves=True),
    parents=(transpose_swaps_outer_and_inner,),
)
def transpose_undoes_itself(lib, case):
    outer, inner = map(lib.tree_util.tree_structure, (case.outer, case.inner))
    once = lib.tree_util.tree_transpose(outer, inner, case.tree)
    same(lib.tree_util.tree_transpose(inner, outer, once), case.tree, identical=True)


@law(
    "`tree_transpose` with an outer tree without leaves puts that tree at each leaf of the inner "
    "tree",
    source=_TRANSPOSE,
    case=_compositions(hollow=True),
    level="observed",
)
def transpose_takes_a_leafless_outer_tree(lib, case):
    outer, inner = map(lib.tree_util.tree_structure, (case.outer, case.inner))
    wanted = lib.tree_util.tree_map(lambda _: case.outer, case.inner)
    same(lib.tree_util.tree_transpose(outer, inner, case.tree), wanted)


@law(
    "`tree_transpose` with `None` as the inner structure infers it",
    source=_TRANSPOSE,
    case=_compositions(),
)
def transpose_infers_the_inner_structure(lib, case):
    """Only outer trees with a leaf: nothing else shows the inner structure."""
    outer, inner = map(lib.tree_util.tree_structure, (case.outer, case.inner))
    wanted = lib.tree_util.tree_transpose(outer, inner, case.tree)
    same(lib.tree_util.tree_transpose(outer, None, case.tree), wanted, identical=True)


@law(
    "`tree_transpose` raises TypeError for a tree of another structure",
    source="https://github.com/jax-ml/jax/issues/19810",
    case=_compositions(wrong=True),
    level="should",
)
def transpose_refuses_another_structure(lib, case):
    outer, inner = map(lib.tree_util.tree_structure, (case.outer, case.inner))
    refuses(TypeError, lambda: lib.tree_util.tree_transpose(outer, inner, case.tree))


@law(
    "`jax.tree.transpose` returns the same as `tree_transpose`",
    source="https://docs.jax.dev/en/latest/jax.tree.html",
    needs={"tree.transpose"},
    case=_compositions(),
)
def tree_transposes_as_tree_util(lib, case):
    outer, inner = map(lib.tree_util.tree_structure, (case.outer, case.inner))
    for structure in (inner, None):
        wanted = lib.tree_util.tree_transpose(outer, structure, case.tree)
        same(lib.tree.transpose(outer, structure, case.tree), wanted, identical=True)


def _size(treedef: Any) -> int:
    return 1 + sum(map(_size, treedef.children()))
