"""Mutants of Equinox' smaller tree functions and of its printer."""

from __future__ import annotations

from selftest.mutant import mutant

_TOPIC = "equinox.tree_tools"


def _ids(*names: str) -> list[str]:
    return [f"{_TOPIC}.{name}" for name in names]


@mutant("equinox", kills=_ids("tree_check_refuses_repeated_nodes", "tree_check_refuses_cycles"))
def tree_check_accepts_everything(eqx):
    """`tree_check` finds nothing."""
    return {"tree_check": lambda pytree: None}


@mutant("equinox", kills=_ids("tree_check_accepts_repeated_leaves"))
def tree_check_counts_leaves(eqx):
    """`tree_check` takes a leaf that stands twice for a repeated node, as up to release 0.10."""

    def tree_check(pytree):
        import jax.tree_util as jtu

        eqx.tree_check(pytree)
        nodes = []
        jtu.tree_flatten(pytree, is_leaf=lambda node: nodes.append(node) is not None)
        if len({id(node) for node in nodes}) < len(nodes):
            raise ValueError("a node appears in the PyTree multiple times")

    return {"tree_check": tree_check}


@mutant("equinox", kills=_ids("one_level_is_one_level"))
def one_level_goes_all_the_way(eqx):
    """`tree_flatten_one_level` flattens everything."""

    def tree_flatten_one_level(pytree):
        import jax.tree_util as jtu

        return jtu.tree_flatten(pytree)

    return {"tree_flatten_one_level": tree_flatten_one_level}


@mutant("equinox", kills=_ids("one_level_is_put_back"))
def one_level_drops_none(eqx):
    """`tree_flatten_one_level` leaves children that are `None` out."""

    def tree_flatten_one_level(pytree):
        children, treedef = eqx.tree_flatten_one_level(pytree)
        kept = [child for child in children if child is not None]
        return kept, treedef if len(kept) == len(children) else eqx.tree_flatten_one_level(kept)[1]

    return {"tree_flatten_one_level": tree_flatten_one_level}


@mutant("equinox", kills=_ids("one_level_of_a_leaf_is_the_leaf", "one_level_refuses_its_own_child"))
def one_level_takes_leaves_for_empty(eqx):
    """`tree_flatten_one_level` finds no children in a leaf, and takes a node for its own leaf."""

    def tree_flatten_one_level(pytree):
        import jax.tree_util as jtu

        children, treedef = jtu.tree_flatten(pytree, is_leaf=lambda node: node is not pytree)
        return ([], treedef) if treedef == jtu.tree_structure(0) else (children, treedef)

    def guarded(pytree):
        if any(pytree is child for child in getattr(pytree, "values", lambda: pytree)()):
            return [pytree], None
        return tree_flatten_one_level(pytree)

    def total(pytree):
        inner = isinstance(pytree, (list, dict))
        return guarded(pytree) if inner else tree_flatten_one_level(pytree)

    return {"tree_flatten_one_level": total}


@mutant("equinox", kills=_ids("inference_mode_sets_every_flag", "inference_mode_finds_the_flag"))
def inference_mode_stops_at_the_first_flag(eqx):
    """A flag inside a node that has a flag itself is left as it is."""

    def inference_mode(pytree, value=True):
        import jax.tree_util as jtu

        def set_flag(node):
            if not hasattr(node, "inference"):
                return node
            return eqx.tree_at(lambda node: node.inference, node, value)

        return jtu.tree_map(set_flag, pytree, is_leaf=lambda node: hasattr(node, "inference"))

    return {"nn.inference_mode": inference_mode}


@mutant("equinox", kills=_ids("inference_mode_can_be_undone", "inference_mode_needs_no_flags"))
def inference_mode_sets_every_boolean(eqx):
    """Every boolean leaf becomes the value."""

    def inference_mode(pytree, value=True):
        import jax.tree_util as jtu

        def put(leaf):
            return value if type(leaf) is bool else leaf + 0 if type(leaf) is float else leaf

        return jtu.tree_map(put, pytree)

    return {"nn.inference_mode": inference_mode}


@mutant("equinox", kills=_ids("updates_are_added_leaf_by_leaf"))
def updates_are_subtracted(eqx):
    """`apply_updates` leaves a falsy update out and subtracts the others."""

    def apply_updates(model, updates):
        import jax.tree_util as jtu

        return jtu.tree_map(
            lambda update, leaf: leaf if update is None else leaf - update,
            updates,
            model,
            is_leaf=lambda update: update is None,
        )

    return {"apply_updates": apply_updates}


@mutant("equinox", kills=_ids("updates_are_added_leaf_by_leaf"))
def updates_of_arrays_are_lost(eqx):
    """`apply_updates` leaves JAX arrays as they are."""

    def apply_updates(model, updates):
        import jax
        import jax.tree_util as jtu

        kept = jtu.tree_map(lambda u: None if isinstance(u, jax.Array) else u, updates)
        return eqx.apply_updates(model, kept)

    return {"apply_updates": apply_updates}


@mutant("equinox", kills=_ids("updates_are_added_to_subtrees"))
def updates_are_spread_over_leaves(eqx):
    """An update that stands for a subtree is added to each leaf of it."""

    def apply_updates(model, updates):
        import jax.tree_util as jtu

        def spread(update, part):
            return jtu.tree_map(lambda leaf: leaf if update is None else leaf + update, part)

        return jtu.tree_map(spread, updates, model, is_leaf=lambda update: update is None)

    return {"apply_updates": apply_updates}


@mutant("equinox", kills=_ids("updates_of_none_change_nothing"))
def updates_of_none_give_none(eqx):
    """Where there is no update the result has none either, as in a bare `tree_map`."""

    def apply_updates(model, updates):
        import jax.tree_util as jtu

        return jtu.tree_map(
            lambda update, leaf: None if update is None else leaf + update,
            updates,
            model,
            is_leaf=lambda update: update is None,
        )

    return {"apply_updates": apply_updates}


@mutant("equinox", kills=_ids("updates_that_are_no_prefix_are_refused"))
def updates_are_zipped(eqx):
    """Updates are paired with the leaves of the model, and what is left over is dropped."""

    def apply_updates(model, updates):
        try:
            return eqx.apply_updates(model, updates)
        except ValueError:
            return model

    return {"apply_updates": apply_updates}


@mutant("equinox", kills=_ids("every_tree_has_a_text"))
def printing_hashes_leaves(eqx):
    """The leaves are numbered by a dictionary, which takes hashable ones only."""

    def tree_pformat(pytree, **options):
        import jax.tree_util as jtu

        order = {leaf: number for number, leaf in enumerate(jtu.tree_leaves(pytree))}
        return eqx.tree_pformat(pytree, **options) if order else "{}"

    return {"tree_pformat": tree_pformat}


@mutant("equinox", kills=_ids("pprint_prints_the_text"))
def pprint_forgets_the_options(eqx):
    """`tree_pprint` does not pass its options on."""
    return {"tree_pprint": lambda pytree, **options: print(eqx.tree_pformat(pytree))}


@mutant("equinox", kills=_ids("repr_is_the_text", "layout_changes_white_space_only"))
def printing_ends_lists_with_a_comma(eqx):
    """A list that is broken into lines ends with a comma."""

    def tree_pformat(pytree, **options):
        text = eqx.tree_pformat(pytree, **options)
        return text.replace("\n)", ",\n)").replace("\n]", ",\n]")

    def module_aware(pytree, **options):
        text = tree_pformat(pytree, **options)
        return text if options or not isinstance(pytree, eqx.Module) else text.replace("=", ": ")

    return {"tree_pformat": module_aware}


@mutant("equinox", kills=_ids("what_fits_is_printed_within_the_width"))
def printing_ignores_the_width(eqx):
    """`width` is not looked at."""

    def tree_pformat(pytree, *, width=80, **options):
        return eqx.tree_pformat(pytree, **options)

    return {"tree_pformat": tree_pformat}


@mutant("equinox", kills=_ids("every_dtype_has_a_short_name"))
def printing_knows_some_dtypes(eqx):
    """A dtype that is no plain float is shown by its full name."""

    def tree_pformat(pytree, **options):
        text = eqx.tree_pformat(pytree, **options)
        for short, name in (("bf16", "bfloat16"), ("c64", "complex64"), ("i32", "int32")):
            text = text.replace(short, name)
        return text

    return {"tree_pformat": tree_pformat}


@mutant("equinox", kills=_ids("an_array_is_shown_by_dtype_and_shape", "every_array_is_abbreviated"))
def printing_never_abbreviates(eqx):
    """Arrays are printed in full."""

    def tree_pformat(pytree, *, short_arrays=True, **options):
        return eqx.tree_pformat(pytree, short_arrays=False, **options)

    return {"tree_pformat": tree_pformat}


@mutant(
    "equinox",
    kills=_ids(
        "arrays_can_be_spelled_out",
        "structs_can_be_shown_as_arrays",
        "leaves_can_be_truncated",
        "nodes_can_be_truncated",
    ),
)
def printing_ignores_the_options(eqx):
    """`tree_pformat` uses the defaults."""
    return {"tree_pformat": lambda pytree, **options: eqx.tree_pformat(pytree)}


@mutant("equinox", kills=_ids("traced_arrays_have_a_text"))
def printing_looks_at_values(eqx):
    """Arrays are fetched before they are printed, which tracers do not allow."""

    def tree_pformat(pytree, **options):
        import jax
        import jax.tree_util as jtu
        import numpy as np

        for leaf in jtu.tree_leaves(pytree):
            if isinstance(leaf, jax.Array):
                np.asarray(leaf)
        return eqx.tree_pformat(pytree, **options)

    return {"tree_pformat": tree_pformat}


@mutant("equinox", kills=_ids("members_are_shown_by_their_repr"))
def members_are_shown_as_numbers(eqx):
    """`tree_pformat` shows what a member of an Enumeration holds, not its message."""

    def tree_pformat(pytree, **options):
        import jax.tree_util as jtu

        member = lambda node: type(node).__name__ == "EnumerationItem"
        plain = lambda node: jtu.tree_leaves(node) if member(node) else node
        return eqx.tree_pformat(jtu.tree_map(plain, pytree, is_leaf=member), **options)

    return {"tree_pformat": tree_pformat}
