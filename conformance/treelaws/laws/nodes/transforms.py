"""Nodes: JAX's transformations of functions that take and return nodes."""

from __future__ import annotations

import numpy as np

from treelaws.core.law import Topic
from treelaws.equality import equal, same, same_treedef, true

from ._conditions import accepts_a_batch, accepts_some_batched, stacked
from ._copying import has_the_same_functions_when_rebuilt
from ._inputs import of_arrays, of_real_arrays, of_shapeless_real_arrays
from .aux_builds import equal_builds_have_equal_treedefs
from .flatten import (
    unflatten_accepts_any_leaf,
    unflatten_accepts_documented_placeholders,
    unflatten_undoes_flatten,
)

law = Topic("node.transforms", "Nodes: transformations", family="node")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_FUNCTIONS = f"{_PYTREES}#pytrees-and-jax-transformations"
_AXES = f"{_PYTREES}#transformation-parameters-can-be-pytrees-too"
_UNEXPECTED = f"{_PYTREES}#initialization-with-unexpected-values"
_TRACING = "https://docs.jax.dev/en/latest/tracing.html"
_STAGES = "https://docs.jax.dev/en/latest/jax.stages.html"
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
    "`eval_shape` of the identity returns the structure of the node, with the shape and dtype of "
    "each leaf",
    source=f"{_API}/jax.eval_shape.html",
    level="should",
    case=_arrays,
    weight=0.12,
    parents=_PLACEHOLDERS,
)
def eval_shape_keeps_the_structure(lib, case):
    """The result holds abstract values, which its parent law demands of a node."""
    out = lib.eval_shape(lambda node: node, case.node)
    same(out, lib.tree_util.tree_map(_shape_of(lib), case.node))


@law(
    "a traced function receives the node in its own structure",
    source=_FUNCTIONS,
    case=_arrays,
    weight=0.12,
    parents=_ROUND_TRIP,
)
def tracers_come_in_the_structure(lib, case):
    seen = []
    lib.eval_shape(lambda node: seen.append(lib.tree_util.tree_structure(node)), case.node)
    wanted = lib.tree_util.tree_structure(case.node)
    equal(seen, [wanted])


@law(
    "`jit` of the identity returns the node, its leaves as arrays",
    source=_FUNCTIONS,
    case=_arrays,
    weight=0.06,
    parents=_ROUND_TRIP,
)
def jit_of_the_identity_is_the_identity(lib, case):
    wanted = _arrays_of(lib, case.node)
    same(lib.jit(lambda node: node)(case.node), wanted)


@law(
    "`jit` traces once for two nodes that are built alike",
    source=_TRACING,
    case=lambda subject: of_arrays(subject, has_the_same_functions_when_rebuilt),
    weight=0.06,
    parents=[*_ROUND_TRIP, equal_builds_have_equal_treedefs],
)
def jit_does_not_retrace_for_an_equal_node(lib, case):
    traced = []
    function = lib.jit(lambda node: traced.append(node))
    function(case.node)
    function(case.rebuild().node)
    true(len(traced) == 1, f"{len(traced)} traces", "1 trace")


@law(
    "`jit` traces once for a node and the result of a `tree_map` of the identity",
    source=_TRACING,
    case=_arrays,
    weight=0.06,
    parents=_ROUND_TRIP,
)
def jit_does_not_retrace_after_a_map(lib, case):
    traced = []
    function = lib.jit(lambda node: traced.append(node))
    function(case.node)
    function(lib.tree_util.tree_map(lambda leaf: leaf, case.node))
    true(len(traced) == 1, f"{len(traced)} traces", "1 trace")


@law(
    "`jit(f).lower(node).compile()` of the identity returns the node",
    source=f"{_STAGES}#jax.stages.Lowered.compile",
    level="should",
    case=_arrays,
    weight=0.06,
    parents=_PLACEHOLDERS,
)
def compiled_identity_is_the_identity(lib, case):
    """`lower` also makes a node that holds descriptions of arguments."""
    compiled = lib.jit(lambda node: node).lower(case.node).compile()
    same(compiled(case.node), _arrays_of(lib, case.node))


@law(
    "`jit(f).lower(node).args_info` has the structure of the arguments",
    source=f"{_STAGES}#jax.stages.Lowered",
    level="should",
    case=_arrays,
    weight=0.1,
    parents=_PLACEHOLDERS,
)
def args_info_has_the_structure(lib, case):
    """JAX unflattens the node with descriptions of arguments in the place of leaves."""
    info = lib.jit(lambda node: None).lower(case.node).args_info
    got = lib.tree_util.tree_structure(info)
    wanted = lib.tree_util.tree_structure(((case.node,), {}))
    equal(got, wanted)


@law(
    "`jit` of the identity returns a donated node unchanged",
    source="https://docs.jax.dev/en/latest/201/jit.html#jax-201-buffer-donation",
    case=lambda subject: of_arrays(subject, history=False),
    weight=0.06,
    parents=_ROUND_TRIP,
)
def donated_node_comes_back(lib, case):
    """Copies of the arrays are donated, since a class may hold an array twice or elsewhere."""
    wanted = _arrays_of(lib, case.node)
    given = lib.tree_util.tree_map(lambda leaf: lib.numpy.array(leaf, copy=True), case.node)
    same(lib.jit(lambda node: node, donate_argnums=0)(given), wanted)


@law(
    "`jit` deletes the leaves of a donated node which it returns",
    source="https://docs.jax.dev/en/latest/201/jit.html#jax-201-buffer-donation",
    level="should",
    case=lambda subject: of_arrays(subject, history=False),
    weight=0.06,
    parents=[donated_node_comes_back],
)
def donated_leaves_are_deleted(lib, case):
    given = lib.tree_util.tree_map(lambda leaf: lib.numpy.array(leaf, copy=True), case.node)
    lib.jit(lambda node: node, donate_argnums=0)(given)
    leaves = lib.tree_util.tree_leaves(given)
    equal([leaf.is_deleted() for leaf in leaves], [True] * len(leaves))


@law(
    "`device_put` of a node returns the node, its leaves as arrays",
    source=f"{_API}/jax.device_put.html",
    case=_arrays,
    weight=0.1,
    parents=_ROUND_TRIP,
)
def device_put_keeps_the_structure(lib, case):
    same(_strong(lib, lib.device_put(case.node)), _strong(lib, case.node))


@law(
    "`vmap` takes the axes of a node as a node of the same structure",
    source=_AXES,
    level="should",
    case=lambda subject: of_arrays(subject, accepts_some_batched),
    weight=0.07,
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
    same(_arrays_of(lib, out), _arrays_of(lib, given))


@law(
    "`vmap` with one axis for the whole node maps each of its leaves",
    source=f"{_API}/jax.vmap.html",
    case=_batches,
    weight=0.07,
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
    weight=0.07,
    parents=_ROUND_TRIP,
)
def scan_carries_a_node(lib, case):
    def loop(node):
        return lib.lax.scan(lambda carry, _: (carry, None), node, None, length=2)[0]

    _returns(lib, loop, case.node, _arrays_of(lib, case.node))


@law(
    "`scan` over a node stacks the results into a node of the same structure",
    source=f"{_API}/jax.lax.scan.html",
    case=_batches,
    weight=0.07,
    parents=_ROUND_TRIP,
)
def scan_maps_over_a_node(lib, case):
    """The node is a stack of two: each leaf has a new leading axis, over which `scan` loops.

    A node that rejects a stack is not an input.
    """

    def loop(node):
        return lib.lax.scan(lambda _, one: (None, one), None, node, length=2)[1]

    stack = _stack(lib, case.node)
    _returns(lib, loop, stack, _arrays_of(lib, stack))


@law(
    "`while_loop` carries a node",
    source=f"{_API}/jax.lax.while_loop.html",
    case=_arrays,
    weight=0.07,
    parents=_ROUND_TRIP,
)
def while_loop_carries_a_node(lib, case):
    def loop(node):
        step = lambda carry: (carry[0], carry[1] + 1)
        return lib.lax.while_loop(lambda carry: carry[1] < 2, step, (node, 0))[0]

    _returns(lib, loop, case.node, _arrays_of(lib, case.node))


@law(
    "`cond` passes a node to its branches and returns the node that they return",
    source=f"{_API}/jax.lax.cond.html",
    case=_arrays,
    weight=0.07,
    parents=_ROUND_TRIP,
)
def cond_returns_a_node(lib, case):
    def choose(node):
        flag = lib.numpy.asarray(True)
        return lib.lax.cond(flag, lambda node: node, lambda node: node, node)

    _returns(lib, choose, case.node, _arrays_of(lib, case.node))


@law(
    "`grad` with respect to a node of real floating leaves returns a node that holds the "
    "derivative of each leaf",
    source=f"{_API}/jax.grad.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_ROUND_TRIP,
)
def grad_has_the_structure(lib, case):
    _returns(lib, lib.grad(_total(lib)), case.node, _doubled(lib, case.node))


@law(
    "`jvp` takes a node and its tangent, and returns the result and its tangent as nodes",
    source=f"{_API}/jax.jvp.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_ROUND_TRIP,
)
def jvp_has_the_structure(lib, case):
    def push(node):
        return lib.jvp(lambda node: node, (node,), (_doubled(lib, node),))

    _returns(lib, lambda node: push(node)[0], case.node, case.node)
    _returns(lib, lambda node: push(node)[1], case.node, _doubled(lib, case.node))


@law(
    "`vjp` returns the result as a node, and takes and returns its cotangent as a node",
    source=f"{_API}/jax.vjp.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_ROUND_TRIP,
)
def vjp_has_the_structure(lib, case):
    def pull(node):
        return lib.vjp(lambda node: node, node)[1](_doubled(lib, node))[0]

    _returns(lib, pull, case.node, _doubled(lib, case.node))
    _returns(lib, lambda node: lib.vjp(lambda node: node, node)[0], case.node, case.node)


@law(
    "`jit` of `grad`, `jvp` and `vjp` returns the same nodes as without `jit`",
    source=_FUNCTIONS,
    case=of_real_arrays,
    weight=0.07,
    parents=[grad_has_the_structure, jvp_has_the_structure, vjp_has_the_structure],
)
def derivatives_are_the_same_under_jit(lib, case):
    def derivatives(node):
        tangent = _doubled(lib, node)
        pushed = lib.jvp(lambda node: node, (node,), (tangent,))
        result, pull = lib.vjp(lambda node: node, node)
        return lib.grad(_total(lib))(node), pushed, result, pull(tangent)

    same(_strong(lib, lib.jit(derivatives)(case.node)), _strong(lib, derivatives(case.node)))


@law(
    "`jacobian` of a node with respect to a node returns a node of nodes, which hold the "
    "derivatives of each leaf by each leaf",
    source=_UNEXPECTED,
    level="should",
    case=of_shapeless_real_arrays,
    weight=0.07,
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
    weight=0.06,
    parents=_PLACEHOLDERS,
)
def hessian_is_a_node_of_nodes(lib, case):
    """A node that rejects arrays of the shapes of derivatives is not an input."""
    _is_twice_the_identity(lib, lib.hessian(_total(lib)), case.node, forward=True)


@law(
    "`hessian` with `argnums` and `has_aux` returns the second derivatives with respect to that "
    "argument, and what the function returns beside its value",
    source=f"{_API}/jax.hessian.html",
    level="should",
    case=of_shapeless_real_arrays,
    weight=0.06,
    parents=(hessian_is_a_node_of_nodes,),
)
def hessian_of_an_argument_comes_with_aux(lib, case):
    total, other = _total(lib), lib.numpy.float32(3)
    second = lib.hessian(lambda one, node: (total(node), one), argnums=1, has_aux=True)
    same(second(other, case.node)[1], other)
    _is_twice_the_identity(lib, lambda node: second(other, node)[0], case.node, forward=True)


@law(
    "`checkpoint` of the identity returns the node",
    source=f"{_API}/jax.checkpoint.html",
    case=_arrays,
    weight=0.07,
    parents=_ROUND_TRIP,
)
def checkpoint_returns_a_node(lib, case):
    identity = lib.checkpoint(lambda node: node)
    _returns(lib, identity, case.node, _arrays_of(lib, case.node))


def _shape_of(lib):
    def describe(leaf):
        array = lib.numpy.asarray(leaf)
        weak = getattr(array, "weak_type", False)
        return lib.ShapeDtypeStruct(array.shape, array.dtype, weak_type=weak)

    return describe


def _returns(lib, function, node, wanted):
    """Demand that a function returns a node like its argument, with the wanted leaves.

    JAX may return a number that it does not change as it is, so leaves are compared as arrays.
    Nothing is promised of the weak types of results.
    """
    _same_inside(lib, function, node)
    same(_strong(lib, function(node)), _strong(lib, wanted))


def _same_inside(lib, function, node):
    """Demand that a traced function returns the structure, shapes and dtypes of its argument.

    The structure is taken within the trace, since the result of `eval_shape` holds no arrays.
    """
    leaves, wanted = lib.tree_util.tree_flatten(node)
    structures = []

    def traced(node):
        given, treedef = lib.tree_util.tree_flatten(function(node))
        structures.append(treedef)
        return given

    shapes = lib.eval_shape(traced, node)
    same_treedef(structures[0], wanted, node)
    same(shapes, list(map(_shape_of(lib), leaves)))


def _stack(lib, node):
    """Return a stack of two copies of a node, and demand that it has the structure of the node."""
    leaves, treedef = lib.tree_util.tree_flatten(node)
    stack = treedef.unflatten(stacked(lib, leaves))
    same_treedef(lib.tree_util.tree_structure(stack), treedef, node)
    return stack


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
    same(_strong(lib, derivative(node)), treedef.unflatten(rows))


def _arrays_of(lib, node):
    return lib.tree_util.tree_map(lib.numpy.asarray, node)


def _strong(lib, node):
    def array(leaf):
        given = lib.numpy.asarray(leaf)
        # An array that is asked for by its dtype has no weak type.
        return lib.numpy.asarray(given, dtype=given.dtype)

    return lib.tree_util.tree_map(array, node)


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
