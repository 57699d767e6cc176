"""Nodes: what JAX's transformations hand to and take from functions of nodes."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import same, true

from ._inputs import of_arrays, of_real_arrays, of_sized_arrays, of_some_real_arrays
from .aux import equal_builds_have_equal_treedefs, same_structure
from .flatten import unflatten_accepts_any_leaf, unflatten_accepts_documented_placeholders

law = Topic("node.transforms", "Nodes: transformations", family="node")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_FUNCTIONS = f"{_PYTREES}#pytrees-and-jax-transformations"
_AXES = f"{_PYTREES}#transformation-parameters-can-be-pytrees-too"
_UNEXPECTED = f"{_PYTREES}#initialization-with-unexpected-values"
_AUX = f"{_PYTREES}#custom-pytree-nodes"
_STAGES = "https://docs.jax.dev/en/latest/jax.stages.html"
# JAX puts something else than object(), None or a node in the place of leaves.
_PLACEHOLDERS = [unflatten_accepts_any_leaf]
# The laws themselves put object() there, to compare structures by what they rebuild.
_OBJECTS = [unflatten_accepts_documented_placeholders]


def _arrays(subject):
    return of_arrays(subject, history=True)


@law(
    "eval_shape of the identity gives the structure of the node, with each leaf's shape and dtype",
    source=f"{_API}/jax.eval_shape.html",
    level="should",
    case=_arrays,
    weight=0.12,
    parents=_PLACEHOLDERS,
)
def eval_shape_keeps_the_structure(lib, case):
    """The result holds abstract values, which a node need not take: see its parent."""
    out = lib.eval_shape(lambda node: node, case.node)
    same(out, lib.tree_util.tree_map(_shape_of(lib), case.node))


@law(
    "a traced function receives the node with its own structure",
    source=_FUNCTIONS,
    case=_arrays,
    weight=0.12,
)
def tracers_come_in_the_structure(lib, case):
    seen = []
    lib.eval_shape(lambda node: seen.append(lib.tree_util.tree_structure(node)), case.node)
    wanted = lib.tree_util.tree_structure(case.node)
    true(seen == [wanted], seen, f"{wanted}")


@law(
    "jit of the identity gives the node back, leaves as arrays",
    source=_FUNCTIONS,
    case=_arrays,
    weight=0.06,
)
def jit_of_the_identity_is_the_identity(lib, case):
    wanted = _arrays_of(lib, case.node)
    same(lib.jit(lambda node: node)(case.node), wanted)


@law(
    "jit traces once for two nodes of one configuration that were built apart",
    source=_AUX,
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
    "jit traces once for a node and what a map makes of it",
    source=_AUX,
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
    "lower takes a node, and what it compiles to gives the node back",
    source=f"{_STAGES}#jax.stages.Lowered.compile",
    level="should",
    case=_arrays,
    weight=0.06,
    parents=_PLACEHOLDERS,
)
def compiled_identity_is_the_identity(lib, case):
    """On its way `lower` makes a node of descriptions of arguments."""
    compiled = lib.jit(lambda node: node).lower(case.node).compile()
    same(compiled(case.node), _arrays_of(lib, case.node))


@law(
    "lower describes its arguments in the structure of the node",
    source=f"{_STAGES}#jax.stages.Lowered",
    level="should",
    case=_arrays,
    weight=0.1,
    parents=_PLACEHOLDERS,
)
def args_info_has_the_structure(lib, case):
    """JAX unflattens the node with descriptions of arguments for leaves."""
    info = lib.jit(lambda node: None).lower(case.node).args_info
    got = lib.tree_util.tree_structure(info)
    wanted = lib.tree_util.tree_structure(((case.node,), {}))
    true(got == wanted, got, f"{wanted}")


@law(
    "a donated node comes back as it was",
    source="https://docs.jax.dev/en/latest/201/jit.html#jax-201-buffer-donation",
    case=lambda subject: of_arrays(subject),
    weight=0.06,
)
def donated_node_comes_back(lib, case):
    """A fresh node: the arrays of an older one may be in use elsewhere."""
    wanted = _arrays_of(lib, case.rebuild().node)
    given = _arrays_of(lib, case.node)
    same(lib.jit(lambda node: node, donate_argnums=0)(given), wanted)


@law(
    "device_put of a node gives the node, its leaves as arrays",
    source=f"{_API}/jax.device_put.html",
    case=_arrays,
    weight=0.1,
)
def device_put_keeps_the_structure(lib, case):
    wanted = lib.tree_util.tree_map(lib.device_put, case.node)
    same(lib.device_put(case.node), wanted)


@law(
    "vmap takes the axes of a node as a node of the same structure",
    source=_AXES,
    level="should",
    case=_arrays,
    weight=0.07,
    parents=_PLACEHOLDERS,
)
def vmap_takes_axes_as_a_node(lib, case):
    """The axes stand in the node's fields: 0 where a leaf is mapped, None where it is not.

    A second argument is always mapped, since vmap wants a mapped array.
    """
    axes = lib.tree_util.tree_map(_axis(lib), case.node)
    one = lib.numpy.zeros(2)
    out = lib.vmap(lambda node, _: node, in_axes=(axes, 0), out_axes=axes)(case.node, one)
    same(_arrays_of(lib, out), _arrays_of(lib, case.node))


@law(
    "vmap with one axis for the whole node maps each of its leaves",
    source=f"{_API}/jax.vmap.html",
    case=of_sized_arrays,
    weight=0.07,
)
def vmap_maps_every_leaf(lib, case):
    """A second argument is always mapped, since vmap wants a mapped array."""
    out = lib.vmap(lambda node, _: node)(case.node, lib.numpy.zeros(2))
    same(out, case.node)


@law(
    "a node is carried through scan",
    source=f"{_API}/jax.lax.scan.html",
    case=_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def scan_carries_a_node(lib, case):
    def loop(node):
        return lib.lax.scan(lambda carry, _: (carry, None), node, None, length=2)[0]

    _same_inside(lib, loop, case.node)


@law(
    "scan over a node stacks what it returns into a node of the same structure",
    source=f"{_API}/jax.lax.scan.html",
    case=of_sized_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def scan_maps_over_a_node(lib, case):
    def loop(node):
        return lib.lax.scan(lambda _, one: (None, one), None, node, length=2)[1]

    _same_inside(lib, loop, case.node)


@law(
    "a node is carried through while_loop",
    source=f"{_API}/jax.lax.while_loop.html",
    case=_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def while_loop_carries_a_node(lib, case):
    def loop(node):
        return lib.lax.while_loop(lambda _: False, lambda carry: carry, node)

    _same_inside(lib, loop, case.node)


@law(
    "cond passes a node to its branches and out of them",
    source=f"{_API}/jax.lax.cond.html",
    case=_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def cond_returns_a_node(lib, case):
    def choose(node):
        flag = lib.numpy.asarray(True)
        return lib.lax.cond(flag, lambda node: node, lambda node: node, node)

    _same_inside(lib, choose, case.node)


@law(
    "the gradient with respect to a node is a node of the same structure, shapes and dtypes",
    source=f"{_API}/jax.grad.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def grad_has_the_structure(lib, case):
    _same_inside(lib, lib.grad(_total(lib)), case.node)


@law(
    "jvp takes the tangent of a node as a node, and gives one",
    source=f"{_API}/jax.jvp.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def jvp_has_the_structure(lib, case):
    def push(node):
        return lib.jvp(lambda node: node, (node,), (node,))[1]

    _same_inside(lib, push, case.node)


@law(
    "vjp takes the cotangent of a node as a node, and gives one",
    source=f"{_API}/jax.vjp.html",
    case=of_real_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def vjp_has_the_structure(lib, case):
    def pull(node):
        return lib.vjp(lambda node: node, node)[1](node)[0]

    _same_inside(lib, pull, case.node)


@law(
    "the jacobian of a node with respect to a node is a node of nodes",
    source=_UNEXPECTED,
    level="should",
    case=of_some_real_arrays,
    weight=0.07,
    parents=_PLACEHOLDERS,
)
def jacobian_is_a_node_of_nodes(lib, case):
    """On its way JAX makes a node of nodes, and a node of the shardings of its leaves."""
    _is_a_node_of_nodes(lib, lib.jacobian(lambda node: node), case.node)


@law(
    "the hessian with respect to a node is a node of nodes",
    source=f"{_API}/jax.hessian.html",
    level="should",
    case=of_some_real_arrays,
    weight=0.06,
    parents=_PLACEHOLDERS,
)
def hessian_is_a_node_of_nodes(lib, case):
    _is_a_node_of_nodes(lib, lib.hessian(_total(lib)), case.node)


@law(
    "checkpoint hands the node through",
    source=f"{_API}/jax.checkpoint.html",
    case=_arrays,
    weight=0.07,
    parents=_OBJECTS,
)
def checkpoint_returns_a_node(lib, case):
    _same_inside(lib, lib.checkpoint(lambda node: node), case.node)


def _shape_of(lib):
    def describe(leaf):
        array = lib.numpy.asarray(leaf)
        weak = getattr(array, "weak_type", False)
        return lib.ShapeDtypeStruct(array.shape, array.dtype, weak_type=weak)

    return describe


def _same_inside(lib, function, node):
    """Demand that a traced function gives the structure, shapes and dtypes of its argument.

    Judged within the trace, since what `eval_shape` returns holds no arrays.
    """
    leaves, wanted = lib.tree_util.tree_flatten(node)
    structures = []

    def traced(node):
        given, treedef = lib.tree_util.tree_flatten(function(node))
        structures.append(treedef)
        return given

    shapes = lib.eval_shape(traced, node)
    true(structures == [wanted], structures, f"{wanted}")
    same_structure(lib, structures[0], wanted)
    same(shapes, list(map(_shape_of(lib), leaves)))


def _is_a_node_of_nodes(lib, derivative, node):
    """Demand that a derivative holds, in the place of each leaf of the node, such a node."""
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


def _total(lib):
    def total(node):
        leaves = lib.tree_util.tree_leaves(node)
        return sum((leaf.astype("float32") ** 2).sum() for leaf in leaves) + lib.numpy.float32(0)

    return total
