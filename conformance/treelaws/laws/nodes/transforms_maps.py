"""Nodes: JAX's maps, loops and conditions over nodes."""

from __future__ import annotations

from treelaws.equality import same, same_treedef

from ._conditions import accepts_a_batch, accepts_some_batched, stacked
from ._inputs import of_arrays
from ._transformed import arrays_of, returns
from .flatten import (
    unflatten_accepts_any_leaf,
    unflatten_accepts_documented_placeholders,
    unflatten_undoes_flatten,
)
from .transforms import law

_API = "https://docs.jax.dev/en/latest/_autosummary"
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_AXES = f"{_PYTREES}#transformation-parameters-can-be-pytrees-too"
# JAX unflattens the node with tracers or arrays in the place of leaves.
_ROUND_TRIP = [unflatten_undoes_flatten]
# JAX puts other objects than object(), None or a node in the place of leaves.
_PLACEHOLDERS = [unflatten_accepts_any_leaf]
# Some releases of JAX make a node of object() to compare its structure with that of `in_axes`.
_OBJECTS = [unflatten_accepts_documented_placeholders]


def _arrays(subject):
    return of_arrays(subject)


def _batches(subject):
    return of_arrays(subject, accepts_a_batch)


@law(
    "`vmap` takes the axes of a node as a node of the same structure",
    source=_AXES,
    level="should",
    case=lambda subject: of_arrays(subject, accepts_some_batched),
    parents=_PLACEHOLDERS,
)
def vmap_takes_axes_as_a_node(lib, case):
    """The fields of the node hold the axes: 0 if a leaf is mapped, None if it is not.

    Every second leaf is mapped: two copies of it in a new leading axis, so that the function gets
    the shapes that the class gave. A node that rejects such leaves is not an input. A second
    argument is always mapped, since `vmap` needs a mapped array.
    """
    leaves, treedef = lib.tree_util.tree_flatten(case.node)
    axes = treedef.unflatten([None if index % 2 else 0 for index in range(len(leaves))])
    given = treedef.unflatten(stacked(lib, leaves, every=2))
    one = lib.numpy.zeros(2)
    out = lib.vmap(lambda node, _: node, in_axes=(axes, 0), out_axes=axes)(given, one)
    same(arrays_of(lib, out), arrays_of(lib, given))


@law(
    "`vmap` with one axis for the whole node maps each of its leaves",
    source=f"{_API}/jax.vmap.html",
    case=_batches,
    parents=_OBJECTS,
)
def vmap_maps_every_leaf(lib, case):
    """The node is a stack of two: each leaf has a new leading axis, which `vmap` maps.

    The function gets the shapes that the class gave. A node that rejects a stack is not an input.
    A second argument is always mapped, since `vmap` needs a mapped array.
    """
    stack = _stack(lib, case.node)
    out = lib.vmap(lambda node, _: node)(stack, lib.numpy.zeros(2))
    same(out, stack)


@law(
    "`scan` carries a node",
    source=f"{_API}/jax.lax.scan.html",
    case=_arrays,
    parents=_ROUND_TRIP,
)
def scan_carries_a_node(lib, case):
    def loop(node):
        return lib.lax.scan(lambda carry, _: (carry, None), node, None, length=2)[0]

    returns(lib, loop, case.node, arrays_of(lib, case.node))


@law(
    "`scan` over a node stacks the results into a node of the same structure",
    source=f"{_API}/jax.lax.scan.html",
    case=_batches,
    parents=_ROUND_TRIP,
)
def scan_maps_over_a_node(lib, case):
    """The node is a stack of two: each leaf has a new leading axis, over which `scan` loops.

    A node that rejects a stack is not an input.
    """

    def loop(node):
        return lib.lax.scan(lambda _, one: (None, one), None, node, length=2)[1]

    stack = _stack(lib, case.node)
    returns(lib, loop, stack, arrays_of(lib, stack))


@law(
    "`while_loop` carries a node",
    source=f"{_API}/jax.lax.while_loop.html",
    case=_arrays,
    parents=_ROUND_TRIP,
)
def while_loop_carries_a_node(lib, case):
    def loop(node):
        step = lambda carry: (carry[0], carry[1] + 1)
        return lib.lax.while_loop(lambda carry: carry[1] < 2, step, (node, 0))[0]

    returns(lib, loop, case.node, arrays_of(lib, case.node))


@law(
    "`cond` passes a node to its branches and returns the node that they return",
    source=f"{_API}/jax.lax.cond.html",
    case=_arrays,
    parents=_ROUND_TRIP,
)
def cond_returns_a_node(lib, case):
    def choose(node):
        flag = lib.numpy.asarray(True)
        return lib.lax.cond(flag, lambda node: node, lambda node: node, node)

    returns(lib, choose, case.node, arrays_of(lib, case.node))


def _stack(lib, node):
    """Return a stack of two copies of a node, and demand that it has the structure of the node."""
    leaves, treedef = lib.tree_util.tree_flatten(node)
    stack = treedef.unflatten(stacked(lib, leaves))
    same_treedef(lib.tree_util.tree_structure(stack), treedef, node)
    return stack
