"""Mutants of `Partial`."""

from __future__ import annotations

import functools

from selftest.mutant import mutant

_PARTIAL = "jax.partial"


def _partial(jax, flatten, unflatten, new=None, call=None):
    """Make a `Partial` of its own: a registered subclass of `functools.partial`."""
    members = {
        name: value for name, value in (("__new__", new), ("__call__", call)) if value is not None
    }
    made = type("Partial", (functools.partial,), members)
    jax.tree_util.register_pytree_node(made, flatten, lambda aux, xs: unflatten(made, aux, xs))
    return {"tree_util.Partial": made}


def _flatten(node):
    return (node.args, node.keywords), node.func


def _unflatten(made, function, xs):
    return made(function, *xs[0], **xs[1])


@mutant("jax", kills=[f"{_PARTIAL}.partial_calls_like_functools_partial"])
def early_arguments_come_last(jax):
    """The early arguments follow the late ones."""

    def call(self, *args, **keywords):
        return self.func(*args, *self.args, **{**self.keywords, **keywords})

    return _partial(jax, _flatten, _unflatten, call=call)


@mutant("jax", kills=[f"{_PARTIAL}.partial_holds_exactly_its_arguments"])
def keywords_are_aux_data(jax):
    """The keywords are no children."""
    return _partial(
        jax,
        lambda node: ((node.args,), (node.func, tuple(node.keywords.items()))),
        lambda made, aux, xs: made(aux[0], *xs[0], **dict(aux[1])),
    )


@mutant("jax", kills=[f"{_PARTIAL}.partial_is_mapped_like_its_arguments"])
def mapped_partial_is_a_plain_one(jax):
    """Unflatten gives a `functools.partial`."""
    return _partial(
        jax, _flatten, lambda made, function, xs: functools.partial(function, *xs[0], **xs[1])
    )


@mutant("jax", kills=[f"{_PARTIAL}.function_of_a_partial_is_structure"])
def function_is_no_structure(jax):
    """The function is not compared."""

    class Same:
        def __init__(self, function):
            self.function = function

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 0

    return _partial(
        jax,
        lambda node: ((node.args, node.keywords), Same(node.func)),
        lambda made, aux, xs: made(aux.function, *xs[0], **xs[1]),
    )


@mutant("jax", kills=[f"{_PARTIAL}.partial_does_not_merge_with_an_inner_partial"])
def inner_partial_is_merged(jax):
    """The arguments of a partial inside are taken over, as `functools.partial` does."""
    return _partial(jax, _flatten, _unflatten)
