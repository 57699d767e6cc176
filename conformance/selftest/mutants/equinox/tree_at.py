"""Mutants of `tree_at`."""

from __future__ import annotations

import contextlib

from selftest.mutant import mutant

_TOPIC = "equinox.tree_at"
_REFUSALS = (
    "a_node_with_its_descendant_is_refused",
    "a_repeated_singleton_is_refused",
    "a_selector_that_leaves_the_tree_is_refused",
    "a_selector_that_looks_at_leaves_is_refused",
    "another_number_of_replacements_is_refused",
    "no_replacement_is_refused",
    "replace_with_replace_fn_is_refused",
)


def _ids(*names: str) -> list[str]:
    return [f"{_TOPIC}.{name}" for name in names]


@mutant("equinox", kills=_ids("identical_leaves_are_told_apart", "aliases_are_told_apart"))
def tree_at_finds_targets_by_identity(eqx):
    """Every place that holds the target's object changes, not only the selected one."""

    def tree_at(where, pytree, *arguments, is_leaf=None, **keywords):
        import jax.tree_util as jtu

        out = eqx.tree_at(where, pytree, *arguments, is_leaf=is_leaf, **keywords)
        old, treedef = jtu.tree_flatten(pytree, is_leaf=is_leaf)
        new, changed = jtu.tree_flatten(out, is_leaf=is_leaf)
        if treedef != changed:
            return out
        moved = {id(a): b for a, b in zip(old, new, strict=True) if a is not b}
        return jtu.tree_unflatten(treedef, [moved.get(id(a), a) for a in old])

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("putting_back_changes_nothing"))
def tree_at_copies_the_rest(eqx):
    """Leaves that are no targets come back as copies."""

    def tree_at(where, pytree, *arguments, is_leaf=None, **keywords):
        import jax.tree_util as jtu
        import numpy as np

        def copy(leaf):
            return leaf.copy() if isinstance(leaf, np.ndarray) else leaf

        copied = jtu.tree_map(copy, pytree, is_leaf=is_leaf)
        return eqx.tree_at(where, copied, *arguments, is_leaf=is_leaf, **keywords)

    return {"tree_at": tree_at}


@mutant(
    "equinox",
    kills=_ids(
        "what_is_put_can_be_read",
        "only_the_targets_change",
        "several_targets_are_single_ones_in_turn",
        "the_order_of_targets_does_not_matter",
        "targets_may_be_a_tuple_or_a_list",
    ),
)
def tree_at_puts_in_the_order_of_the_tree(eqx):
    """Several replacements go to the targets in the order of the tree, not in that of `where`."""

    def tree_at(where, pytree, replace=None, *arguments, is_leaf=None, **keywords):
        if not isinstance(replace, (tuple, list)) or len(replace) < 2:
            arguments = (replace, *arguments)
            return eqx.tree_at(where, pytree, *arguments, is_leaf=is_leaf, **keywords)
        waiting = iter(replace)
        return eqx.tree_at(where, pytree, replace_fn=lambda _: next(waiting), is_leaf=is_leaf)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("the_later_replacement_counts"))
def tree_at_replaces_once(eqx):
    """What was put by an earlier call can no longer be replaced."""
    placed = []

    def tree_at(where, pytree, *arguments, **keywords):
        targets = where(pytree)
        if any(targets is value for value in placed):
            return pytree
        placed[:] = arguments
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("the_input_is_unchanged"))
def tree_at_writes_into_the_input(eqx):
    """The result is written into the given list, dict or object."""

    def tree_at(where, pytree, *arguments, **keywords):
        out = eqx.tree_at(where, pytree, *arguments, **keywords)
        if type(out) is type(pytree):
            if isinstance(pytree, list):
                pytree[:] = out
            elif isinstance(pytree, dict):
                pytree.update(out)
            elif hasattr(pytree, "__dict__"):
                vars(pytree).update(vars(out))
        return out

    return {"tree_at": tree_at}


@mutant(
    "equinox",
    kills=_ids("a_specification_of_flags_can_be_edited", "replace_fn_does_what_replace_does"),
)
def tree_at_keeps_falsy_replacements_out(eqx):
    """What `replace_fn` returns is taken only if it is true."""

    def tree_at(where, pytree, *arguments, replace_fn=None, **keywords):
        if replace_fn is None:
            return eqx.tree_at(where, pytree, *arguments, **keywords)

        def truthy(node):
            value = replace_fn(node)
            return node if isinstance(value, (bool, int, str, tuple)) and not value else value

        return eqx.tree_at(where, pytree, *arguments, replace_fn=truthy, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("is_leaf_makes_none_replaceable"))
def tree_at_ignores_is_leaf(eqx):
    """`is_leaf` is not looked at."""

    def tree_at(where, pytree, *arguments, is_leaf=None, **keywords):
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("position_and_path_lead_to_one_leaf"))
def tree_at_counts_none_as_a_leaf(eqx):
    """A selector by position counts `None` as a leaf, as if `is_leaf` had made it one."""

    def tree_at(where, pytree, *arguments, is_leaf=None, **keywords):
        import jax.tree_util as jtu

        none = object()
        filled = jtu.tree_map(
            lambda leaf: none if leaf is None else leaf, pytree, is_leaf=lambda x: x is None
        )
        if is_leaf is not None:
            return eqx.tree_at(where, pytree, *arguments, is_leaf=is_leaf, **keywords)
        out = eqx.tree_at(where, filled, *arguments, **keywords)
        return jtu.tree_map(lambda leaf: None if leaf is none else leaf, out)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("no_targets_change_nothing"))
def tree_at_takes_no_targets_for_an_error(eqx):
    """A selector of no nodes is refused."""

    def tree_at(where, pytree, *arguments, **keywords):
        targets = where(pytree)
        if isinstance(targets, list) and not targets:
            raise ValueError("`where` selects nothing")
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("no_constructor_runs"))
def tree_at_checks_the_result(eqx):
    """`__post_init__` and `__check_init__` run once more on the result."""

    def tree_at(where, pytree, *arguments, **keywords):
        import jax.tree_util as jtu

        def again(node):
            for hook in ("__check_init__", "__post_init__"):
                if hasattr(node, hook):
                    getattr(node, hook)()
            return False

        out = eqx.tree_at(where, pytree, *arguments, **keywords)
        jtu.tree_flatten(out, is_leaf=again)
        return out

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("tree_at_traces"))
def tree_at_looks_at_values(eqx):
    """Array leaves are looked at, which tracers do not allow."""

    def tree_at(where, pytree, *arguments, **keywords):
        import jax
        import jax.tree_util as jtu
        import numpy as np

        for leaf in jtu.tree_leaves(pytree):
            if isinstance(leaf, jax.Array) and eqx.is_inexact_array(leaf):
                np.isfinite(leaf)
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("what_replace_fn_returns_is_put"))
def replace_fn_receives_a_converted_node(eqx):
    """`replace_fn` gets the leaves of its node as arrays where they can be arrays."""

    def tree_at(where, pytree, *arguments, replace_fn=None, **keywords):
        import jax.numpy as jnp
        import jax.tree_util as jtu
        import numpy as np

        def convert(leaf):
            return jnp.asarray(leaf) if isinstance(leaf, (bool, float, np.number)) else leaf

        if replace_fn is not None:
            keywords["replace_fn"] = lambda node: replace_fn(jtu.tree_map(convert, node))
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("replace_fn_receives_the_node"))
def replace_fn_receives_wrapped_leaves(eqx):
    """The leaves inside the node that `replace_fn` gets are still wrapped."""

    def tree_at(where, pytree, *arguments, replace_fn=None, **keywords):
        import jax.tree_util as jtu

        class Wrapper:
            def __init__(self, value):
                self.value = value

        if replace_fn is not None:
            keywords["replace_fn"] = lambda node: replace_fn(jtu.tree_map(Wrapper, node))
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("replace_fn_is_called_once_a_target"))
def replace_fn_is_tried_first(eqx):
    """`replace_fn` is called once more, to see what it returns."""

    def tree_at(where, pytree, *arguments, replace_fn=None, **keywords):
        if replace_fn is not None:
            keywords["replace_fn"] = lambda node: (replace_fn(node), replace_fn(node))[1]
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids("where_gets_the_structure_of_the_tree"))
def where_is_asked_about_a_list_of_leaves(eqx):
    """`where` is tried on the bare leaves too."""

    def tree_at(where, pytree, *arguments, **keywords):
        import jax.tree_util as jtu

        with contextlib.suppress(AttributeError, IndexError, KeyError, TypeError):
            where(jtu.tree_leaves(pytree))
        return eqx.tree_at(where, pytree, *arguments, **keywords)

    return {"tree_at": tree_at}


@mutant("equinox", kills=_ids(*_REFUSALS))
def tree_at_gives_up_silently(eqx):
    """What cannot be replaced is left as it is, without an error."""

    def tree_at(where, pytree, *arguments, **keywords):
        try:
            return eqx.tree_at(where, pytree, *arguments, **keywords)
        except (TypeError, ValueError):
            return pytree

    return {"tree_at": tree_at}
