"""Mutants of walks over Flax NNX graphs."""

from __future__ import annotations

import copy

from selftest.mutant import mutant

_ID = "nnx.iteration."


@mutant("nnx", kills=[_ID + "iter_graph_visits_each_reference_once"])
def variables_are_visited_by_path(nnx):
    """`iter_graph` gives a Variable once for each module that holds it."""

    def iter_graph(node, **options):
        for path, value in list(nnx.iter_graph(node, **options)):
            if not isinstance(value, nnx.Variable):
                yield path, value
            held = vars(value).items() if isinstance(value, nnx.Module) else ()
            for name, inner in held:
                if isinstance(inner, nnx.Variable):
                    yield (*path, name), inner

    return {"iter_graph": iter_graph}


@mutant(
    "nnx",
    kills=[
        _ID + "iter_graph_visits_each_reference_once",
        _ID + "iter_graph_goes_from_the_leaves_to_the_root",
        _ID + "tree_mode_meets_the_same",
    ],
)
def the_root_is_left_out(nnx):
    """`iter_graph` gives what is inside a node, not the node itself."""

    def iter_graph(node, **options):
        skip = options.get("graph", True)
        pairs = nnx.iter_graph(node, **options)
        return (pair for pair in pairs if pair[0] or not skip)

    return {"iter_graph": iter_graph}


@mutant("nnx", kills=[_ID + "iter_graph_paths_lead_to_the_values"])
def paths_are_written_backwards(nnx):
    """`iter_graph` gives paths from the value to the root."""

    def iter_graph(node, **options):
        return ((path[::-1], value) for path, value in nnx.iter_graph(node, **options))

    return {"iter_graph": iter_graph}


@mutant("nnx", kills=[_ID + "iter_modules_gives_the_modules"])
def iter_modules_skips_what_is_shared(nnx):
    """`iter_modules` gives the root and the modules right in it alone."""

    def iter_modules(node):
        return (pair for pair in nnx.iter_modules(node) if len(pair[0]) < 2)

    return {"iter_modules": iter_modules}


@mutant("nnx", kills=[_ID + "iter_children_gives_the_attributes"])
def iter_children_goes_deeper(nnx):
    """`iter_children` gives the children of children too."""

    def iter_children(node):
        for key, child in nnx.iter_children(node):
            yield key, child
            if isinstance(child, nnx.Module):
                yield from nnx.iter_children(child)

    return {"iter_children": iter_children}


@mutant("nnx", kills=[_ID + "iterating_changes_nothing"])
def iterating_leaves_a_mark(nnx):
    """`iter_graph` marks each module that it has visited."""

    def iter_graph(node, **options):
        for path, value in nnx.iter_graph(node, **options):
            if isinstance(value, nnx.Module):
                object.__setattr__(value, "_visited", True)
            yield path, value

    return {"iter_graph": iter_graph}


@mutant("nnx", kills=[_ID + "recursive_map_of_the_identity_is_the_identity"])
def recursive_map_drops_metadata(nnx):
    """`recursive_map` makes the Variables of its result anew, without their metadata."""

    def recursive_map(function, node, **options):
        back = nnx.clone(nnx.recursive_map(function, node, **options))
        for _, value in list(nnx.iter_graph(back)):
            if isinstance(value, nnx.Variable):
                value._var_metadata.pop("tag", None)
        return back

    return {"recursive_map": recursive_map}


@mutant(
    "nnx",
    kills=[
        _ID + "recursive_map_visits_each_reference_once",
        _ID + "tree_mode_meets_the_same",
    ],
)
def recursive_map_and_iter_graph_skip_variables(nnx):
    """`recursive_map` and `iter_graph` pass over Variables, in graph mode."""

    def recursive_map(function, node, **options):
        def skip(path, value):
            graph = options.get("graph", True)
            return value if graph and isinstance(value, nnx.Variable) else function(path, value)

        return nnx.recursive_map(skip, node, **options)

    def iter_graph(node, **options):
        for path, value in nnx.iter_graph(node, **options):
            if not (options.get("graph", True) and isinstance(value, nnx.Variable)):
                yield path, value

    return {"recursive_map": recursive_map, "iter_graph": iter_graph}


@mutant("nnx", kills=[_ID + "recursive_map_takes_what_the_function_gives"])
def recursive_map_keeps_what_it_had(nnx):
    """`recursive_map` calls the function and drops what it gives."""

    def recursive_map(function, node, **options):
        return nnx.recursive_map(lambda path, value: (function(path, value), value)[1], node)

    return {"recursive_map": recursive_map}


@mutant("nnx", kills=[_ID + "recursive_map_changes_nothing_in_its_input"])
def recursive_map_works_in_place(nnx):
    """`recursive_map` writes its result into the graph that it was given."""

    def recursive_map(function, node, **options):
        back = nnx.recursive_map(function, node, **options)
        if isinstance(node, nnx.Module):
            vars(node).update(vars(copy.copy(back)))
        return back

    return {"recursive_map": recursive_map}


@mutant("nnx", kills=[_ID + "find_duplicates_names_what_is_shared"])
def find_duplicates_forgets_a_group(nnx):
    """`find_duplicates` forgets the first group of places."""

    def find_duplicates(node, **options):
        return nnx.find_duplicates(node, **options)[1:]

    return {"find_duplicates": find_duplicates}


@mutant("nnx", kills=[_ID + "duplicates_are_one_object"])
def find_duplicates_joins_its_groups(nnx):
    """`find_duplicates` puts the root into each list of paths."""

    def find_duplicates(node, **options):
        return [[*paths, ()] for paths in nnx.find_duplicates(node, **options)]

    return {"find_duplicates": find_duplicates}


@mutant("nnx", kills=[_ID + "find_duplicates_honours_its_filter"])
def find_duplicates_takes_no_filter(nnx):
    """`find_duplicates` ignores `only`."""
    return {"find_duplicates": lambda node, only=...: nnx.find_duplicates(node)}
