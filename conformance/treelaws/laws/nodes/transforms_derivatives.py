"""Nodes: JAX's derivatives of functions of nodes."""

from __future__ import annotations

import numpy as np

from treelaws.equality import same

from ._inputs import of_real_arrays, of_shapeless_real_arrays
from ._transformed import returns, strong
from .flatten import unflatten_accepts_any_leaf, unflatten_undoes_flatten
from .transforms import law

_API = "https://docs.jax.dev/en/latest/_autosummary"
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_FUNCTIONS = f"{_PYTREES}#pytrees-and-jax-transformations"
_UNEXPECTED = f"{_PYTREES}#initialization-with-unexpected-values"
# JAX unflattens the node with tracers or arrays in the place of leaves.
_ROUND_TRIP = [unflatten_undoes_flatten]
# JAX puts other objects than object(), None or a node in the place of leaves.
_PLACEHOLDERS = [unflatten_accepts_any_leaf]


@law(
    "`grad` with respect to a node of real floating leaves returns a node that holds the "
    "derivative of each leaf",
    source=f"{_API}/jax.grad.html",
    case=of_real_arrays,
    parents=_ROUND_TRIP,
)
def grad_has_the_structure(lib, case):
    returns(lib, lib.grad(_total(lib)), case.node, _doubled(lib, case.node))


@law(
    "`jvp` takes a node and its tangent, and returns the result and its tangent as nodes",
    source=f"{_API}/jax.jvp.html",
    case=of_real_arrays,
    parents=_ROUND_TRIP,
)
def jvp_has_the_structure(lib, case):
    def push(node):
        return lib.jvp(lambda node: node, (node,), (_doubled(lib, node),))

    returns(lib, lambda node: push(node)[0], case.node, case.node)
    returns(lib, lambda node: push(node)[1], case.node, _doubled(lib, case.node))


@law(
    "`vjp` returns the result as a node, and takes and returns its cotangent as a node",
    source=f"{_API}/jax.vjp.html",
    case=of_real_arrays,
    parents=_ROUND_TRIP,
)
def vjp_has_the_structure(lib, case):
    def pull(node):
        return lib.vjp(lambda node: node, node)[1](_doubled(lib, node))[0]

    returns(lib, pull, case.node, _doubled(lib, case.node))
    returns(lib, lambda node: lib.vjp(lambda node: node, node)[0], case.node, case.node)


@law(
    "`jit` of `grad`, `jvp` and `vjp` returns the same nodes as without `jit`",
    source=_FUNCTIONS,
    case=of_real_arrays,
    parents=[grad_has_the_structure, jvp_has_the_structure, vjp_has_the_structure],
)
def derivatives_are_the_same_under_jit(lib, case):
    def derivatives(node):
        tangent = _doubled(lib, node)
        pushed = lib.jvp(lambda node: node, (node,), (tangent,))
        result, pull = lib.vjp(lambda node: node, node)
        return lib.grad(_total(lib))(node), pushed, result, pull(tangent)

    same(strong(lib, lib.jit(derivatives)(case.node)), strong(lib, derivatives(case.node)))


@law(
    "`jacobian` of a node with respect to a node returns a node of nodes, which hold the "
    "derivatives of each leaf by each leaf",
    source=_UNEXPECTED,
    level="should",
    case=of_shapeless_real_arrays,
    parents=_PLACEHOLDERS,
)
def jacobian_is_a_node_of_nodes(lib, case):
    """JAX also makes a node that holds the shardings of the leaves.

    A node that rejects arrays of the shapes of derivatives is not an input.
    """
    _is_twice_the_identity(lib, lib.jacobian(_doubler(lib)), case.node)


@law(
    "`hessian` with respect to a node returns a node of nodes, which hold the second derivatives",
    source=f"{_API}/jax.hessian.html",
    level="should",
    case=of_shapeless_real_arrays,
    parents=_PLACEHOLDERS,
)
def hessian_is_a_node_of_nodes(lib, case):
    """A node that rejects arrays of the shapes of derivatives is not an input.

    It is compiled as a whole, since without `jit` JAX compiles each of its steps; the law about
    `jacobian` runs without.
    """
    _is_twice_the_identity(lib, lib.jit(lib.hessian(_total(lib))), case.node, forward=True)


@law(
    "`hessian` with `argnums` and `has_aux` returns the second derivatives with respect to that "
    "argument, and what the function returns beside its value",
    source=f"{_API}/jax.hessian.html",
    level="should",
    case=of_shapeless_real_arrays,
    parents=(hessian_is_a_node_of_nodes,),
)
def hessian_of_an_argument_comes_with_aux(lib, case):
    total, other = _total(lib), lib.numpy.float32(3)
    second = lib.jit(lib.hessian(lambda one, node: (total(node), one), argnums=1, has_aux=True))
    same(second(other, case.node)[1], other)
    _is_twice_the_identity(lib, lambda node: second(other, node)[0], case.node, forward=True)


def _is_twice_the_identity(lib, derivative, node, forward=False):
    """Demand that a derivative has, in the place of each leaf of the node, a node like it.

    Its entries are 2 where an entry of a leaf meets itself, and otherwise 0. They have the dtype of
    the leaf by which JAX differentiates last, which is the outer one in forward mode.
    """
    leaves, treedef = lib.tree_util.tree_flatten(node)
    sizes = [np.size(leaf) for leaf in leaves]
    numbers, ends = 2 * np.eye(sum(sizes)), np.cumsum([0, *sizes])

    def block(row, column):
        part = numbers[ends[row] : ends[row + 1], ends[column] : ends[column + 1]]
        shape = (*np.shape(leaves[row]), *np.shape(leaves[column]))
        return lib.numpy.asarray(
            part.reshape(shape), dtype=leaves[row if forward else column].dtype
        )

    indices = range(len(leaves))
    rows = [treedef.unflatten([block(row, one) for one in indices]) for row in indices]
    same(strong(lib, derivative(node)), treedef.unflatten(rows))


def _doubled(lib, node):
    return lib.tree_util.tree_map(lambda leaf: 2 * leaf, node)


def _doubler(lib):
    return lambda node: _doubled(lib, node)


def _total(lib):
    def total(node):
        leaves = lib.tree_util.tree_leaves(node)
        # Not in float32, in which a float64 leaf would lose digits.
        wide = (leaf.astype(lib.numpy.promote_types(leaf.dtype, "float32")) for leaf in leaves)
        return sum((leaf**2).sum() for leaf in wide) + lib.numpy.float32(0)

    return total
