"""Mutants of `filter`, `partition` and `combine`."""

from __future__ import annotations

import jax
import jax.core
import jax.tree_util as jtu

from selftest.mutant import mutant

_ID = "equinox.filter."


@mutant(
    "equinox",
    kills=[_ID + "combine_undoes_partition", _ID + "combine_undoes_partition_in_either_order"],
)
def combine_drops_falsy_leaves(eqx):
    """`combine` asks whether a leaf is true, not whether it is there."""

    def combine(*trees, is_leaf=None):
        def stops(node):
            return node is None or (is_leaf is not None and is_leaf(node))

        def first(*leaves):
            return next((x for x in leaves if x is not None and not _is_falsy(x)), None)

        return jtu.tree_map(first, *trees, is_leaf=stops)

    return {"combine": combine}


def _is_falsy(leaf):
    return isinstance(leaf, (bool, int, float, str)) and not leaf


@mutant(
    "equinox",
    kills=[
        _ID + "combine_takes_the_first",
        _ID + "combine_undoes_partition",
    ],
)
def combine_takes_the_last_of_three(eqx):
    """`combine` prefers the second tree and forgets a first leaf where the second has none."""

    def combine(*trees, is_leaf=None):
        return eqx.combine(*trees[1:], is_leaf=is_leaf)

    return {"combine": combine}


@mutant("equinox", kills=[_ID + "combine_is_associative"])
def combine_compares_two_trees_from_the_right(eqx):
    """`combine` of two trees prefers the second, of three the first."""

    def combine(*trees, is_leaf=None):
        ordered = trees[::-1] if len(trees) == 2 else trees
        return eqx.combine(*ordered, is_leaf=is_leaf)

    return {"combine": combine}


@mutant("equinox", kills=[_ID + "combine_adds_nothing_of_its_own"])
def combine_of_one_tree_is_that_of_none(eqx):
    """`combine` of a single tree reads the leaves of a second one."""

    def combine(*trees, is_leaf=None):
        if len(trees) == 1:
            trees = (eqx.filter(trees[0], False, is_leaf=is_leaf),)
        return eqx.combine(*trees, is_leaf=is_leaf)

    return {"combine": combine}


@mutant("equinox", kills=[_ID + "partition_is_filter_and_its_inverse"])
def partition_replaces_one_half_only(eqx):
    """The second half of `partition` holds `None` whatever `replace` is."""

    def partition(pytree, filter_spec, replace=None, is_leaf=None):
        kept = eqx.filter(pytree, filter_spec, replace=replace, is_leaf=is_leaf)
        return kept, eqx.filter(pytree, filter_spec, inverse=True, is_leaf=is_leaf)

    return {"partition": partition}


@mutant("equinox", kills=[_ID + "each_leaf_is_kept_by_filter_or_its_inverse"])
def inverse_is_ignored(eqx):
    """`filter(inverse=True)` filters as without it."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        return eqx.filter(pytree, filter_spec, replace=replace, is_leaf=is_leaf)

    return {"filter": filter}


@mutant(
    "equinox",
    kills=[_ID + "a_bool_keeps_or_replaces_everything"],
)
def is_leaf_is_ignored(eqx):
    """`filter` goes on inside a node that `is_leaf` accepts."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        return eqx.filter(pytree, filter_spec, inverse=inverse, replace=replace)

    return {"filter": filter}


@mutant("equinox", kills=[_ID + "filter_keeps_the_structure"])
def sequences_become_tuples(eqx):
    """`filter` gives a list or a named tuple at the root back as a plain tuple."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        result = eqx.filter(pytree, filter_spec, inverse, replace, is_leaf)
        return tuple(result) if isinstance(result, (list, tuple)) else result

    return {"filter": filter}


@mutant("equinox", kills=[_ID + "filter_is_idempotent"])
def filter_keeps_what_it_replaced(eqx):
    """A second `filter` takes the `None` that the first one left for a leaf and wraps it."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        holes = jtu.tree_map(
            lambda leaf: () if leaf is None else leaf, pytree, is_leaf=lambda x: x is None
        )
        return eqx.filter(holes, filter_spec, inverse, replace, is_leaf)

    return {"filter": filter}


@mutant("equinox", kills=[_ID + "a_prefix_spec_is_its_broadcast"])
def a_bool_prefix_is_asked_once(eqx):
    """A bool of a prefix spec decides about the first leaf below it only."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        def spread(leaf, below):
            flat, structure = jtu.tree_flatten(below, is_leaf=is_leaf)
            if not isinstance(leaf, bool):
                return jtu.tree_map(lambda _: leaf, below, is_leaf=is_leaf)
            return jtu.tree_unflatten(structure, [leaf] + [True] * (len(flat) - 1))

        full = jtu.tree_map(spread, filter_spec, pytree)
        return eqx.filter(pytree, full, inverse, replace, is_leaf)

    return {"filter": filter}


@mutant(
    "equinox",
    kills=[_ID + "a_callable_is_asked_about_each_leaf", _ID + "an_identity_picks_every_alias"],
)
def an_object_is_asked_about_once(eqx):
    """`filter` remembers by identity which leaves it met, and drops one that it meets again."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        seen: dict[int, object] = {}

        def once(leaf):
            if id(leaf) in seen:
                return False
            seen[id(leaf)] = leaf
            return filter_spec(leaf)

        spec = once if callable(filter_spec) else filter_spec
        return eqx.filter(pytree, spec, inverse, replace, is_leaf)

    return {"filter": filter}


@mutant("equinox", kills=[_ID + "a_callable_is_asked_about_each_leaf"])
def a_callable_keeps_nothing(eqx):
    """`filter` asks a callable about each leaf and drops what it accepts."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        def refusing(leaf):
            filter_spec(leaf)
            return False

        spec = refusing if callable(filter_spec) else filter_spec
        return eqx.filter(pytree, spec, inverse, replace, is_leaf)

    return {"filter": filter}


@mutant("equinox", kills=[_ID + "replace_stands_where_a_leaf_went"])
def replace_none_is_a_default(eqx):
    """`filter` takes a false `replace` for none at all."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        falsy = isinstance(replace, (int, float, str, list, tuple, dict)) and not replace
        return eqx.filter(pytree, filter_spec, inverse, None if falsy else replace, is_leaf)

    return {"filter": filter}


@mutant("equinox", kills=[_ID + "splitting_leaves_the_input_alone"])
def containers_are_filtered_in_place(eqx):
    """`filter` writes `replace` into every list and dict of the tree."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        result = eqx.filter(pytree, filter_spec, inverse, replace, is_leaf)
        nodes = []
        jtu.tree_flatten(pytree, is_leaf=lambda node: bool(nodes.append(node)))
        for node in nodes:
            if isinstance(node, (list, dict)):
                for key in list(node) if isinstance(node, dict) else range(len(node)):
                    node[key] = replace
        return result

    return {"filter": filter}


@mutant(
    "equinox",
    kills=[_ID + "a_path_picks_one_position"],
)
def tree_at_replaces_every_alias(eqx):
    """`tree_at` finds its target by identity, so that every `False` of a spec is replaced."""

    def tree_at(where, pytree, replace_fn):
        targets = jtu.tree_leaves(where(pytree))
        return jtu.tree_map(
            lambda leaf: replace_fn(leaf) if any(leaf is t for t in targets) else leaf, pytree
        )

    return {"tree_at": tree_at}


@mutant("equinox", kills=[_ID + "partition_inside_a_trace_is_the_one_outside"])
def partition_takes_tracers_for_static(eqx):
    """`partition` keeps no tracer, whatever the spec says."""

    def partition(pytree, filter_spec, replace=None, is_leaf=None):
        def spec(leaf):
            return not isinstance(leaf, jax.core.Tracer) and filter_spec(leaf)

        spec = spec if callable(filter_spec) else filter_spec
        return eqx.partition(pytree, spec, replace, is_leaf)

    return {"partition": partition}


@mutant("equinox", kills=[_ID + "another_spec_leaf_is_refused", _ID + "a_traced_spec_is_refused"])
def any_spec_leaf_is_truth_tested(eqx):
    """A spec leaf that is neither a bool nor callable counts as true."""

    def loose(filter_spec):
        return jtu.tree_map(
            lambda leaf: leaf if isinstance(leaf, bool) or callable(leaf) else True, filter_spec
        )

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        return eqx.filter(pytree, loose(filter_spec), inverse, replace, is_leaf)

    def partition(pytree, filter_spec, replace=None, is_leaf=None):
        return eqx.partition(pytree, loose(filter_spec), replace, is_leaf)

    return {"filter": filter, "partition": partition}


@mutant("equinox", kills=[_ID + "a_spec_of_another_structure_is_refused"])
def a_spec_of_another_structure_keeps_everything(eqx):
    """A spec that does not fit keeps every leaf, without an error."""

    def filter(pytree, filter_spec, inverse=False, replace=None, is_leaf=None):
        try:
            return eqx.filter(pytree, filter_spec, inverse, replace, is_leaf)
        except ValueError:
            return pytree

    return {"filter": filter}


@mutant("equinox", kills=["equinox.filter.functions_have_any_form"])
def trees_are_no_predicates(eqx):
    """A predicate that is a node is left out by `filter`, `partition` and `combine`."""

    def leaving_out(function):
        def call(*args, is_leaf=None, **options):
            leaf = jtu.tree_structure(is_leaf) == jtu.tree_structure(0)
            return function(*args, is_leaf=is_leaf if leaf else None, **options)

        return call

    return {name: leaving_out(getattr(eqx, name)) for name in ("filter", "partition", "combine")}
