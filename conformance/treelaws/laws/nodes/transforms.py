"""Nodes: JAX's compilation, shapes and placement of functions that take and return nodes."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

from ._copying import has_the_same_functions_when_rebuilt
from ._inputs import of_arrays
from ._transformed import arrays_of, returns, shape_of, strong
from .aux_builds import equal_builds_have_equal_treedefs
from .flatten import unflatten_accepts_any_leaf, unflatten_undoes_flatten

law = Topic("node.transforms", "Nodes: transformations", family="node")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_FUNCTIONS = f"{_PYTREES}#pytrees-and-jax-transformations"
_TRACING = "https://docs.jax.dev/en/latest/tracing.html"
_STAGES = "https://docs.jax.dev/en/latest/jax.stages.html"
# JAX unflattens the node with tracers or arrays in the place of leaves.
_ROUND_TRIP = [unflatten_undoes_flatten]
# JAX puts other objects than object(), None or a node in the place of leaves.
_PLACEHOLDERS = [unflatten_accepts_any_leaf]


def _arrays(subject):
    return of_arrays(subject)


@law(
    "`eval_shape` of the identity returns the structure of the node, with the shape and dtype of "
    "each leaf",
    source=f"{_API}/jax.eval_shape.html",
    level="should",
    case=_arrays,
    parents=_PLACEHOLDERS,
)
def eval_shape_keeps_the_structure(lib, case):
    """The result holds abstract values, which its parent law demands of a node."""
    out = lib.eval_shape(lambda node: node, case.node)
    same(out, lib.tree_util.tree_map(shape_of(lib), case.node))


@law(
    "a traced function receives the node in its own structure",
    source=_FUNCTIONS,
    case=_arrays,
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
    parents=_ROUND_TRIP,
)
def jit_of_the_identity_is_the_identity(lib, case):
    wanted = arrays_of(lib, case.node)
    same(lib.jit(lambda node: node)(case.node), wanted)


@law(
    "`jit` traces once for two nodes that are built alike",
    source=_TRACING,
    case=lambda subject: of_arrays(subject, has_the_same_functions_when_rebuilt),
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
    parents=_PLACEHOLDERS,
)
def compiled_identity_is_the_identity(lib, case):
    """`lower` also makes a node that holds descriptions of arguments."""
    compiled = lib.jit(lambda node: node).lower(case.node).compile()
    same(compiled(case.node), arrays_of(lib, case.node))


@law(
    "`jit(f).lower(node).args_info` has the structure of the arguments",
    source=f"{_STAGES}#jax.stages.Lowered",
    level="should",
    case=_arrays,
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
    parents=_ROUND_TRIP,
)
def donated_node_comes_back(lib, case):
    """Copies of the arrays are donated, since a class may hold an array twice or elsewhere."""
    wanted = arrays_of(lib, case.node)
    given = lib.tree_util.tree_map(lambda leaf: lib.numpy.array(leaf, copy=True), case.node)
    same(lib.jit(lambda node: node, donate_argnums=0)(given), wanted)


@law(
    "`jit` deletes the leaves of a donated node which it returns",
    source="https://docs.jax.dev/en/latest/201/jit.html#jax-201-buffer-donation",
    level="should",
    case=lambda subject: of_arrays(subject, history=False),
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
    parents=_ROUND_TRIP,
)
def device_put_keeps_the_structure(lib, case):
    same(strong(lib, lib.device_put(case.node)), strong(lib, case.node))


@law(
    "`checkpoint` of the identity returns the node",
    source=f"{_API}/jax.checkpoint.html",
    case=_arrays,
    parents=_ROUND_TRIP,
)
def checkpoint_returns_a_node(lib, case):
    identity = lib.checkpoint(lambda node: node)
    returns(lib, identity, case.node, arrays_of(lib, case.node))
