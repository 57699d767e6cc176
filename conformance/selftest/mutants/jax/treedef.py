"""Mutants of structures."""

from __future__ import annotations

from selftest.mutant import mutant
from selftest.mutants._structures import with_structure

_TREEDEF = "jax.treedef"


@mutant("jax", kills=[f"{_TREEDEF}.children_are_the_structures_below_the_root"])
def children_are_reversed(jax):
    """`treedef_children` gives the children from the last to the first."""
    return {"tree_util.treedef_children": lambda treedef: treedef.children()[::-1]}


@mutant("jax", kills=[f"{_TREEDEF}.structure_does_not_depend_on_the_leaves"])
def scalars_are_no_leaves(jax):
    """`tree_structure` takes Python scalars for constants."""

    def tree_structure(tree, is_leaf=None):
        fixed = lambda leaf: None if type(leaf) in (bool, int, float, str) else leaf
        return jax.tree_util.tree_structure(jax.tree_util.tree_map(fixed, tree, is_leaf=is_leaf))

    return {"tree_util.tree_structure": tree_structure}


@mutant("jax", kills=[f"{_TREEDEF}.structure_counts_leaves_and_nodes"])
def composition_counts_wrongly(jax):
    """A composed structure counts the nodes of both."""

    class Wrong:
        def __init__(self, real, nodes):
            self.num_leaves, self.num_nodes = real.num_leaves, nodes
            self.unflatten, self.children = real.unflatten, real.children

    def compose(one, other):
        return Wrong(one.compose(other), one.num_nodes + other.num_nodes)

    return with_structure(jax, compose=compose)


@mutant("jax", kills=[f"{_TREEDEF}.treedef_tuple_is_the_structure_of_the_tuple"])
def treedef_tuple_forgets_a_second_occurrence(jax):
    """`treedef_tuple` takes each structure once."""

    def treedef_tuple(treedefs):
        return jax.tree_util.treedef_tuple(dict.fromkeys(treedefs))

    return {"tree_util.treedef_tuple": treedef_tuple}


@mutant("jax", kills=[f"{_TREEDEF}.node_data_names_the_type_of_the_root"])
def node_data_names_the_base(jax):
    """`node_data` names the base class of the type of the root."""

    def node_data(treedef):
        data = treedef.node_data()
        return data and (data[0].__base__, *data[1:])

    return with_structure(jax, node_data=node_data)


@mutant("jax", kills=[f"{_TREEDEF}.structure_is_rebuilt_from_node_data_and_children"])
def rebuilding_reverses_children(jax):
    """A structure that is made of node data and children has the children reversed."""
    real = jax.tree_util.PyTreeDef
    names = ("from_node_data_and_children", "make_from_node_data_and_children")
    make = next(getattr(real, name) for name in names if hasattr(real, name))

    class Maker:
        @staticmethod
        def from_node_data_and_children(registry, data, children):
            return make(registry, data, list(children)[::-1])

    return {"tree_util.PyTreeDef": Maker}


@mutant("jax", kills=[f"{_TREEDEF}.compose_puts_a_structure_at_each_leaf"])
def compose_is_swapped(jax):
    """`compose` puts the first structure at the leaves of the second."""
    return with_structure(jax, compose=lambda one, other: other.compose(one))


@mutant("jax", kills=[f"{_TREEDEF}.equal_trees_have_equal_structures"])
def structures_are_compared_by_identity(jax):
    """A structure is equal to itself only."""
    return with_structure(
        jax, __eq__=lambda one, other: one is other, __ne__=lambda one, other: one is not other
    )


@mutant(
    "jax",
    kills=[
        f"{_TREEDEF}.different_trees_have_different_structures",
        "jax.dict_keys.ordered_dict_order_is_structure",
        "jax.registration.static_instances_decide_equality",
        "jax.dataclasses.metadata_is_structure",
    ],
)
def structures_forget_aux_data(jax):
    """Two structures are equal where they have equally many leaves."""
    return with_structure(
        jax,
        __eq__=lambda one, other: one.num_leaves == getattr(other, "num_leaves", None),
        __ne__=lambda one, other: one.num_leaves != getattr(other, "num_leaves", None),
    )


@mutant("jax", kills=[f"{_TREEDEF}.structure_equals_no_other_object"])
def structure_asks_the_other_for_its_leaves(jax):
    """`==` expects a structure on the other side."""
    return with_structure(jax, __eq__=lambda one, other: one.num_leaves == other.num_leaves)


@mutant("jax", kills=[f"{_TREEDEF}.structure_differs_from_any_other_object"])
def structures_never_differ(jax):
    """`!=` is always False."""
    return with_structure(jax, __ne__=lambda one, other: False)


@mutant("jax", kills=[f"{_TREEDEF}.structure_has_a_repr"])
def repr_builds_a_tree(jax):
    """`repr` prints a tree of placeholders, whose nodes may refuse."""
    return with_structure(jax, __repr__=lambda one: repr(one.unflatten(["*"] * one.num_leaves)))


@mutant("jax", kills=[f"{_TREEDEF}.treedef_is_leaf_knows_single_nodes"])
def treedef_is_leaf_counts_leaves(jax):
    """`treedef_is_leaf` takes a node with one leaf for a leaf."""
    return {"tree_util.treedef_is_leaf": lambda treedef: treedef.num_leaves == 1}


@mutant("jax", kills=[f"{_TREEDEF}.structure_survives_pickle_and_copy"])
def structure_is_pickled_as_text(jax):
    """A structure is pickled as its text."""
    return with_structure(jax, __reduce_ex__=lambda one, protocol: (str, (repr(one),)))


def _transpose(jax, change):
    def tree_transpose(outer, inner, tree):
        return change(jax.tree_util.tree_transpose, outer, inner, tree)

    return {"tree_util.tree_transpose": tree_transpose}


@mutant(
    "jax",
    kills=[f"{_TREEDEF}.transpose_swaps_outer_and_inner", f"{_TREEDEF}.transpose_undoes_itself"],
)
def transpose_reverses_the_leaves(jax):
    """`tree_transpose` takes the leaves in the wrong order."""

    def change(transpose, outer, inner, tree):
        leaves, treedef = jax.tree_util.tree_flatten(tree)
        if len(leaves) > 1:
            leaves = [*leaves[1:], leaves[0]]
        return transpose(outer, inner, treedef.unflatten(leaves))

    return _transpose(jax, change)


@mutant("jax", kills=[f"{_TREEDEF}.transpose_takes_a_leafless_outer_tree"])
def transpose_of_nothing_is_nothing(jax):
    """`tree_transpose` gives a tree without leaves back."""

    def change(transpose, outer, inner, tree):
        return transpose(outer, inner, tree) if jax.tree_util.tree_leaves(tree) else tree

    return _transpose(jax, change)


@mutant("jax", kills=[f"{_TREEDEF}.tree_transposes_as_tree_util"])
def tree_transpose_wants_the_inner_structure(jax):
    """`jax.tree.transpose` takes the outer structure where the inner one is None."""
    return {
        "tree.transpose": lambda outer, inner, tree: jax.tree.transpose(outer, inner or outer, tree)
    }


@mutant("jax", kills=[f"{_TREEDEF}.transpose_infers_the_inner_structure"])
def transpose_infers_the_outer_structure(jax):
    """`tree_transpose` takes the outer structure where the inner one is None."""
    return _transpose(
        jax, lambda transpose, outer, inner, tree: transpose(outer, inner or outer, tree)
    )


@mutant("jax", kills=[f"{_TREEDEF}.transpose_refuses_another_structure"])
def transpose_takes_any_tree(jax):
    """`tree_transpose` gives a tree back that it cannot transpose."""

    def change(transpose, outer, inner, tree):
        try:
            return transpose(outer, inner, tree)
        except TypeError:
            return tree

    return _transpose(jax, change)


@mutant("jax", kills=[f"{_TREEDEF}.transpose_infers_no_structure_from_several"])
def transpose_gives_none_for_several_structures(jax):
    """`tree_transpose` gives None where it can infer no inner structure."""

    def tree_transpose(outer, inner, tree):
        try:
            return jax.tree_util.tree_transpose(outer, inner, tree)
        except (TypeError, ValueError):
            return None

    return {"tree_util.tree_transpose": tree_transpose}
