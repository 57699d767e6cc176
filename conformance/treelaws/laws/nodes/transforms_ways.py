"""Nodes: each way in which JAX calls a function on a node does what the function does."""

from __future__ import annotations

from hypothesis_pytrees.trees.ways import in_ways
from hypothesis_pytrees.trees.ways_calls import CALLS
from hypothesis_pytrees.trees.ways_derivatives import DERIVATIVES
from hypothesis_pytrees.trees.ways_maps import MAPS
from treelaws.equality import refuses, same

from ._conditions import accepts_a_batch, stacked
from ._inputs import of_arrays, of_real_arrays
from .flatten import unflatten_accepts_any_leaf
from .transforms import jit_of_the_identity_is_the_identity, law
from .transforms_derivatives import grad_has_the_structure

# The documentation does not name all that some ways put in the place of leaves: these are `should`.
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html#pytrees-and-jax-transformations"
_TRACING = "https://docs.jax.dev/en/latest/tracing.html"


@law(
    "a function of a node has the same result in each transformation, loop, callback, context and "
    "thread as outside",
    source=_PYTREES,
    level="should",
    case=lambda subject: in_ways(of_arrays(subject), CALLS),
    parents=[jit_of_the_identity_is_the_identity, unflatten_accepts_any_leaf],
)
def each_way_makes_the_call(lib, case):
    function = _reversing(lib)
    same(_strong(lib, case.run(function, case.node)), _strong(lib, function(case.node)))


@law(
    "an error of a function of a node comes out of each transformation, loop, context and thread, "
    "and the next call is right",
    source=_TRACING,
    level="should",
    case=lambda subject: in_ways(of_arrays(subject), CALLS),
    parents=[each_way_makes_the_call],
)
def each_way_lets_an_error_out(lib, case):
    function = _reversing(lib)
    refuses(ZeroDivisionError, lambda: case.run(_failing(function), case.node))
    same(_strong(lib, case.run(function, case.node)), _strong(lib, function(case.node)))


@law(
    "a function has the same results for a stack of nodes in each way to map over it as for each "
    "node by itself",
    source=_PYTREES,
    level="should",
    case=lambda subject: in_ways(of_arrays(subject, accepts_a_batch), MAPS),
    parents=[jit_of_the_identity_is_the_identity, unflatten_accepts_any_leaf],
)
def each_way_maps_over_a_stack(lib, case):
    """A node that rejects a stack is not an input; a node without leaves has an array beside it."""
    function = _reversing(lib)
    beside = (case.node, lib.numpy.float32(1))
    leaves, treedef = lib.tree_util.tree_flatten(beside)
    changed = lib.tree_util.tree_leaves(function(beside))
    found = case.run(function, treedef.unflatten(stacked(lib, leaves)))
    same(_strong(lib, found), _strong(lib, treedef.unflatten(stacked(lib, changed))))


@law(
    "the derivative of a function by a node is the same in each way to ask for it",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.grad.html",
    level="should",
    case=lambda subject: in_ways(of_real_arrays(subject), DERIVATIVES),
    parents=[grad_has_the_structure, unflatten_accepts_any_leaf],
)
def each_way_gives_the_derivative(lib, case):
    found = case.run(_sum(lib), case.node)
    wanted = lib.tree_util.tree_map(lib.numpy.ones_like, case.node)
    same(_strong(lib, found), _strong(lib, wanted))


def _reversing(lib):
    """Return a function that turns the entries of each leaf around."""
    return lambda node: lib.tree_util.tree_map(lib.numpy.flip, node)


def _failing(function):
    """Return a function that fails after it has called a function."""
    return lambda node: (function(node), 1 // 0)


def _sum(lib):
    def add(node):
        # No node is made of the sums, since a class may refuse their shapes.
        leaves = lib.tree_util.tree_leaves(node)
        return sum((lib.numpy.float32(leaf.sum()) for leaf in leaves), lib.numpy.float32(0))

    return add


def _strong(lib, node):
    """Return the leaves as arrays without weak types or negative zeros.

    Of weak types nothing is promised, and a compiled sum of bfloat16 may drop the sign of a zero.
    """

    def array(leaf):
        given = lib.numpy.asarray(leaf)
        given = lib.numpy.asarray(given, dtype=given.dtype)
        inexact = lib.numpy.issubdtype(given.dtype, lib.numpy.inexact)
        return lib.numpy.where(given == 0, lib.numpy.zeros_like(given), given) if inexact else given

    return lib.tree_util.tree_map(array, node)
