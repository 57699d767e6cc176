"""Nodes: JAX's transformations of functions that take and return nodes."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._inputs import of_arrays, of_real_arrays, of_sized_arrays, of_some_real_arrays
from .aux import equal_builds_have_equal_treedefs, same_structure
from .flatten import unflatten_accepts_any_leaf, unflatten_accepts_documented_placeholders

law = Topic("node.transforms", "Nodes: transformations", family="node")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_FUNCTIONS = f"{_PYTREES}#pytrees-and-jax-transformations"
_AXES = f"{_PYTREES}#transformation-parameters-can-be-pytrees-too"
_UNEXPECTED = f"{_PYTREES}#initialization-with-unexpected-values"
_TRACING = "https://docs.jax.dev/en/latest/tracing.html"
_STAGES = "https://docs.jax.dev/en/latest/jax.stages.html"
# JAX puts other objects than object(), None or a node in the place of leaves.
_PLACEHOLDERS = [unflatten_accepts_any_leaf]
# These laws put object() there, to compare structures by the nodes that they rebuild.
_OBJECTS = [unflatten_accepts_documented_placeholders]


def _arrays(subject):
    return of_arrays(subject, history=True)


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
)
def jit_of_the_identity_is_the_identity(lib, case):
    wanted = _arrays_of(lib, case.node)
    same(lib.jit(lambda node: node)(case.node), wanted)


@law(
    "`jit` traces once for two nodes that are built alike",
    source=_TRACING,
    case=_arrays,
    weight=0.06,
    parents=[equal_builds_have_equal_treedefs],
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
    case=lambda subject: of_arrays(subject),
    weight=0.06,
)
def donated_node_comes_back(lib, case):
    """Only new nodes: the arrays of an older node may be in use elsewhere."""
    wanted = _arrays_of(lib, case.rebuild().node)
    given = _arrays_of(lib, case.node)
    same(lib.jit(lambda node: node, donate_argnums=0)(given), wanted)


@law(
    "`device_put` of a node returns the node, its leaves as arrays",
    source=f"{_API}/jax.device_put.html",
    case=_arrays,
    weight=0.1,
)
def device_put_keeps_the_structure(lib, case):
    wanted = lib.tree_util.tree_map(lib.device_put, case.node)
    same(lib.device_put(case.node), wanted)


@law(
    "`vmap` takes the axes of a node as a node of the same structure",
    source=_AXES,
    level="should",
    case=_arrays,
    weight=0.07,
    parents=_PLACEHOLDERS,
)
def vmap_takes_axes_as_a_node(lib, case):
    """The fields of the node hold the axes: 0 if a leaf is mapped, None if it is not.

    A second argument is always mapped, since `vmap` needs a mapped array.
    """
    axes = lib.tree_util.tree_map(_axis(lib), case.node)
    one = lib.numpy.zeros(2)
    out = lib.vmap(lambda node, _: node, in_axes=(axes, 0), out_axes=axes)(case.node, one)
    same(_arrays_of(lib, out), _arrays_of(lib, case.node))


@law(
    "`vmap` with one axis for the whole node maps each of its leaves",
    source=f"{_API}/jax.vmap.html",
    case=of_sized_arrays,
    weight=0.07,
)
def vmap_maps_every_leaf(lib, case):
    """A second argument is always mapped, since `vmap` needs a mapped array."""
    out = lib.vmap(lambda node, _: node)(case.node, lib.numpy.zeros(2))
    same(out, case.node)


@law(
    "`scan` carries a node",
    source=f"{_API}/jax.lax.scan.html",
    case=_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def scan_carries_a_node(lib, case):
    def loop(node):
        return lib.lax.scan(lambda carry, _: (carry, None), node, None, length=2)[0]

    _returns(lib, loop, case.node, _arrays_of(lib, case.node))


@law(
    "`scan` over a node stacks the results into a node of the same structure",
    source=f"{_API}/jax.lax.scan.html",
    case=of_sized_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def scan_maps_over_a_node(lib, case):
    def loop(node):
        return lib.lax.scan(lambda _, one: (None, one), None, node, length=2)[1]

    _returns(lib, loop, case.node, _arrays_of(lib, case.node))


@law(
    "`while_loop` carries a node",
    source=f"{_API}/jax.lax.while_loop.html",
    case=_arrays,
    weight=0.07,
    parents=_OBJECTS,
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
    parents=_OBJECTS,
)
def cond_returns_a_node(lib, case):
    def choose(node):
        flag = lib.numpy.asarray(True)
        return lib.lax.cond(flag, lambda node: node, lambda node: node, node)

    _returns(lib, choose, case.node, _arrays_of(lib, case.node))


@law(
    "`grad` with respect to a node returns a node that holds the derivative of each leaf",
    source=f"{_API}/jax.grad.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def grad_has_the_structure(lib, case):
    _returns(lib, lib.grad(_total(lib)), case.node, _doubled(lib, case.node))


@law(
    "`jvp` takes and returns the tangent of a node as a node",
    source=f"{_API}/jax.jvp.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def jvp_has_the_structure(lib, case):
    def push(node):
        return lib.jvp(lambda node: node, (node,), (_doubled(lib, node),))[1]

    _returns(lib, push, case.node, _doubled(lib, case.node))


@law(
    "`vjp` takes and returns the cotangent of a node as a node",
    source=f"{_API}/jax.vjp.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def vjp_has_the_structure(lib, case):
    def pull(node):
        return lib.vjp(lambda node: node, node)[1](_doubled(lib, node))[0]

    _returns(lib, pull, case.node, _doubled(lib, case.node))


@law(
    "`jacobian` of a node with respect to a node returns a node of nodes",
    source=_UNEXPECTED,
    level="should",
    case=of_some_real_arrays,
    weight=0.07,
    parents=_PLACEHOLDERS,
)
def jacobian_is_a_node_of_nodes(lib, case):
    """JAX also makes a node that holds the shardings of the leaves."""
    _is_a_node_of_nodes(lib, lib.jacobian(lambda node: node), case.node)


@law(
    "`hessian` with respect to a node returns a node of nodes",
    source=f"{_API}/jax.hessian.html",
    level="should",
    case=of_some_real_arrays,
    weight=0.06,
    parents=_PLACEHOLDERS,
)
def hessian_is_a_node_of_nodes(lib, case):
    _is_a_node_of_nodes(lib, lib.hessian(_total(lib)), case.node)


@law(
    "`checkpoint` of the identity returns the node",
    source=f"{_API}/jax.checkpoint.html",
    case=_arrays,
    weight=0.07,
    parents=_OBJECTS,
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
    equal(structures, [wanted])
    same_structure(lib, structures[0], wanted)
    same(shapes, list(map(_shape_of(lib), leaves)))


def _is_a_node_of_nodes(lib, derivative, node):
    """Demand that a derivative has, in the place of each leaf of the node, a node like it."""
    treedef = lib.tree_util.tree_structure(node)
    rows = []

    def traced(node):
        parts = treedef.flatten_up_to(derivative(node))
        rows.extend(map(lib.tree_util.tree_structure, parts))

    lib.eval_shape(traced, node)
    true(rows == [treedef] * treedef.num_leaves, rows, f"{treedef} in the place of each leaf")


def _axis(lib):
    return lambda leaf: 0 if lib.numpy.shape(leaf)[:1] == (2,) else None


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


def _total(lib):
    def total(node):
        leaves = lib.tree_util.tree_leaves(node)
        return sum((leaf.astype("float32") ** 2).sum() for leaf in leaves) + lib.numpy.float32(0)

    return total
