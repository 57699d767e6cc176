"""Mutants of `graphdef`, `clone`, `map` and of tree mode."""

from __future__ import annotations

from selftest.mutant import mutant

from ._patching import bare, forget

_ID = "nnx.graphdef."


@mutant(
    "nnx",
    kills=[
        _ID + "a_clone_is_equal",
        _ID + "a_merged_module_has_the_same_graphdef",
        "nnx.pop.a_module_stays_whole_without_what_was_popped",
    ],
)
def clone_forgets_tags(nnx):
    """`clone` forgets the tags of Variables."""

    def clone(node, *args, **options):
        return forget(nnx.clone(node, *args, **options), "tag")

    return {"clone": clone}


@mutant("nnx", kills=[_ID + "a_clone_stands_apart"])
def clone_shares_variables(nnx):
    """`clone` makes new modules around the same Variables."""

    def clone(node, *args, **options):
        return nnx.merge(*nnx.split(node))

    return {"clone": clone}


@mutant("nnx", kills=[_ID + "graphdef_is_that_of_split"])
def graphdef_wraps_its_node(nnx):
    """`graphdef` describes the module inside a list."""

    def graphdef(node, **options):
        return nnx.graphdef([node], **options)

    return {"graphdef": graphdef}


class _ByIdentity:
    def __init__(self, graphdef):
        self.graphdef = graphdef


@mutant(
    "nnx",
    kills=[_ID + "equal_modules_have_equal_graphdefs", _ID + "a_list_is_as_good_as_a_tuple"],
)
def graphdefs_are_compared_by_identity(nnx):
    """Two GraphDefs are never equal."""

    def graphdef(node, **options):
        return _ByIdentity(nnx.graphdef(node, **options))

    return {"graphdef": graphdef}


@mutant("nnx", kills=[_ID + "another_static_attribute_is_another_graphdef"])
def graphdef_is_the_type(nnx):
    """`graphdef` tells types apart and nothing else."""

    def graphdef(node, **options):
        return type(node)

    return {"graphdef": graphdef}


@mutant("nnx", kills=[_ID + "a_module_goes_through_jit_in_two_parts"])
def state_forgets_metadata(nnx):
    """`state` gives Variables without metadata."""

    def state(node, *filters, **options):
        return bare(nnx.state(node, *filters, **options))

    return {"state": state}


@mutant("nnx", kills=[_ID + "merge_undoes_a_split_in_tree_mode"])
def tree_mode_forgets_metadata(nnx):
    """`split` with graph=False gives Variables without metadata."""

    def split(node, *filters, graph=None, **options):
        if graph is not False:
            return nnx.split(node, *filters, **options)
        graphdef, *states = nnx.split(node, *filters, graph=False, **options)
        return graphdef, *map(bare, states)

    return {"split": split}


@mutant("nnx", kills=[_ID + "tree_mode_refuses_shared_variables"])
def tree_mode_falls_back(nnx):
    """With graph=False shared references are taken as they are without."""

    def in_graph_mode(name):
        return lambda node, *filters, graph=None: getattr(nnx, name)(node, *filters)

    return {name: in_graph_mode(name) for name in ("split", "state", "clone", "graphdef")}


@mutant("nnx", kills=[_ID + "mapping_the_identity_is_the_identity"])
def map_forgets_metadata(nnx):
    """`nnx.map` gives Variables without metadata."""

    def map(function, node, **options):
        return forget(nnx.map(function, nnx.clone(node), **options), "tag")

    return {"map": map} if hasattr(nnx, "map") else {}


@mutant("nnx", kills=[_ID + "a_clone_with_its_own_arrays_is_equal"])
def clone_with_arrays_forgets_tags(nnx):
    """`clone` with arrays=True forgets the tags of Variables."""

    def clone(node, *args, arrays=False, **options):
        made = nnx.clone(node, *args, arrays=arrays, **options)
        return forget(made, "tag", "rank") if arrays else made

    return {"clone": clone}


@mutant("nnx", kills=[_ID + "a_clone_with_its_own_arrays_shares_none"])
def clone_always_shares_arrays(nnx):
    """`clone` does not look at `arrays`."""

    def clone(node, *args, arrays=False, **options):
        return nnx.clone(node, *args, **options)

    return {"clone": clone}


@mutant("nnx", kills=[_ID + "duplicates_are_found"])
def variables_are_no_duplicates(nnx):
    """`find_duplicates` knows modules and not Variables."""

    def find_duplicates(node, *, only=...):
        return nnx.find_duplicates(node, only=nnx.Pytree)

    return {"find_duplicates": find_duplicates} if hasattr(nnx, "find_duplicates") else {}


@mutant("nnx", kills=[_ID + "map_takes_a_variable_by_itself"])
def a_variable_by_itself_has_a_path(nnx):
    """`map` names a Variable by itself by its value."""

    def map(f, node, **options):
        lone = isinstance(node, nnx.Variable)
        return nnx.map(
            (lambda path, leaf: f((*path, "value"), leaf)) if lone else f, node, **options
        )

    return {"map": map}
