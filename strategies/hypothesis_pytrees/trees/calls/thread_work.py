"""Work for threads: what JAX does with a tree, as functions without arguments."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.contexts import WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.together import REPEATED, repeated
from hypothesis_pytrees.core.ways import COMPILED, FORMS, bind_way, way
from hypothesis_pytrees.leaves.leaves import arrays, real_arrays
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import trees
from hypothesis_pytrees.trees.ways_calls import CALLS
from hypothesis_pytrees.trees.ways_custom import CUSTOM_JVP, CUSTOM_VJP
from hypothesis_pytrees.trees.ways_derivatives import DERIVATIVES
from hypothesis_pytrees.trees.ways_maps import MAPS

_REGISTERS = """\
def thread_registers(tree):
    class ThreadNode:
        def __init__(self, tree):
            self.tree = tree

    jtu.register_pytree_node(
        ThreadNode, lambda node: ((node.tree,), 'aux'), lambda aux, held: ThreadNode(*held)
    )
    leaves, treedef = jtu.tree_flatten(ThreadNode(tree))
    return leaves, jtu.tree_unflatten(treedef, leaves).tree
"""
_REGISTERS_KEYS = """\
@jtu.register_pytree_with_keys_class
class ThreadBase:
    def __init__(self, tree):
        self.tree = tree

    def tree_flatten_with_keys(self):
        return ((jtu.GetAttrKey('tree'), self.tree),), type(self).__name__

    @classmethod
    def tree_unflatten(cls, aux, held):
        return cls(*held)


def thread_registers_keys(tree):
    made = jtu.register_pytree_with_keys_class(type('ThreadKeyed', (ThreadBase,), {}))
    return thread_paths(jtu.tree_map(lambda leaf: leaf, made(tree)))
"""
_REGISTERS_DATA = """\
def thread_registers_data(tree):
    made = dataclasses.make_dataclass('ThreadData', ['x', 'tag'])
    jtu.register_dataclass(made, data_fields=['x'], meta_fields=['tag'])
    node = jtu.tree_map(lambda leaf: leaf, made(tree, 'tag'))
    return thread_paths(node), node.x, node.tag
"""
_PATHS = """\
def thread_paths(tree):
    return [jtu.keystr(path) for path, _ in jtu.tree_flatten_with_path(tree)[0]]
"""
_STRUCTURE = """\
def thread_compares(tree):
    one, other = jtu.tree_structure(tree), jtu.tree_structure(jtu.tree_map(lambda x: x, tree))
    return one == other, one != other, one.num_leaves, one.num_nodes, str(one) == str(other)
"""
_TOTAL = """\
def thread_sum(tree):
    return sum(leaf.sum().astype('float32') for leaf in jtu.tree_leaves(tree))
"""
_IMMUTABLE = "is_leaf=lambda node: isinstance(node, (list, type(None)))"
# Work that compiles nothing.
OPERATIONS: Sequence[Kind] = (
    way("round-trip", "(lambda: jtu.tree_unflatten(*jtu.tree_flatten(tree)[::-1]))"),
    way("map", f"(lambda: jtu.tree_map(lambda leaf: [leaf], tree, {_IMMUTABLE}))"),
    way("map-two", "(lambda: jtu.tree_map(lambda one, other: (one, other), tree, tree))"),
    way("map-paths", "(lambda: jtu.tree_map_with_path(lambda path, x: jtu.keystr(path), tree))"),
    way("paths", "(lambda: thread_paths(tree))", _PATHS),
    way("leaves", f"(lambda: jtu.tree_leaves(tree, {_IMMUTABLE}))"),
    way("structure", "(lambda: thread_compares(tree))", _STRUCTURE),
    way("reduce", "(lambda: jtu.tree_reduce(lambda count, leaf: count + 1, tree, 0))"),
    way(
        "transpose",
        "(lambda: jtu.tree_transpose(jtu.tree_structure([0, 0]), jtu.tree_structure(tree), "
        "[tree, tree]))",
    ),
    way("register", "(lambda: thread_registers(tree))", _REGISTERS),
    way("register-keys", "(lambda: thread_registers_keys(tree))", _PATHS, _REGISTERS_KEYS),
    way("register-data", "(lambda: thread_registers_data(tree))", _PATHS, _REGISTERS_DATA),
    way("partial", "(lambda: jtu.tree_map(lambda x: x, jtu.Partial(max, tree)).args)"),
)
# Contexts of JAX, with the name of the setting that each is for.
_SETTINGS: Sequence[tuple[str, str]] = (
    ("jax.disable_jit()", "jax_disable_jit"),
    ("jax.default_matmul_precision('float32')", "jax_default_matmul_precision"),
    ("jax.default_matmul_precision('bfloat16')", "jax_default_matmul_precision"),
    ("jax.numpy_dtype_promotion('strict')", "jax_numpy_dtype_promotion"),
    ("jax.numpy_rank_promotion('raise')", "jax_numpy_rank_promotion"),
    ("jax.debug_nans(True)", "jax_debug_nans"),
    ("jax.debug_infs(True)", "jax_debug_infs"),
    ("jax.default_prng_impl('rbg')", "jax_default_prng_impl"),
    ("jax.threefry_partitionable(False)", "jax_threefry_partitionable"),
    ("jax.checking_leaks()", "jax_check_tracer_leaks"),
)
CONTEXTS: Sequence[Kind] = tuple(
    Kind("setting", context, (), (f"setting:{name.removeprefix('jax_')}",))
    for context, name in _SETTINGS
)
_NAME_OF = {kind: name for kind, (_, name) in zip(CONTEXTS, _SETTINGS, strict=True)}
_FLIPPED = "lambda tree: jtu.tree_map(jnp.flip, tree)"
# Functions that differ, so that a thread which calls that of another has another result.
_MAPS = (
    _FLIPPED,
    "lambda tree: jtu.tree_map(jnp.square, tree)",
    "lambda tree: jtu.tree_map(jnp.zeros_like, tree)",
)
_SUM = "lambda tree: sum(leaf.sum().astype('float32') for leaf in jtu.tree_leaves(tree))"
_SUMS = (_SUM, _SUM.replace("leaf.sum()", "(leaf * leaf).sum()"))
_STACKED = "jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), tree)"


def _calm(ways: Sequence[Kind]) -> tuple[Kind, ...]:
    """Return the ways without that of `jax.checking_leaks`, which looks at the whole process."""
    return tuple(kind for kind in ways if "way:leaks-checked" not in kind.features)


_TRANSFORMS = (
    (_calm(CALLS), _MAPS, "tree", arrays()),
    (_calm(DERIVATIVES), _SUMS, "tree", real_arrays()),
    (_calm(MAPS), _MAPS, _STACKED, arrays()),
)


@st.composite
def tree_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that does something with a tree and compiles nothing."""
    scope = Scope()
    scope.bind("tree", draw(trees(max_leaves=4)))
    kind = draw(st.sampled_from(available(OPERATIONS)))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    return repeated(scope.recipe(kind.template))


@st.composite
def transform_work(draw: st.DrawFn) -> Recipe:
    """Draw a function without arguments that transforms a function of a small tree of arrays."""
    scope = Scope()
    ways, functions, given, leaves = draw(st.sampled_from(_TRANSFORMS))
    scope.bind("tree", draw(trees(leaves, kinds=CONTAINERS, max_leaves=3)))
    scope.bind("function", draw(st.sampled_from(functions)))
    bind_way(draw, scope, ways, "function, tree", forms=(*FORMS, COMPILED))
    return scope.recipe(f"lambda: run(function, {given})")


@st.composite
def setting_work(draw: st.DrawFn) -> Recipe:
    """Draw a function that gives settings of JAX before, within and after their contexts."""
    scope = Scope()
    scope.define(WITHIN)
    kinds = draw(st.lists(st.sampled_from(available(CONTEXTS)), max_size=2))
    names = dict.fromkeys(_NAME_OF[kind] for kind in (*kinds, *available(CONTEXTS)))
    read = f"[getattr(jax.config, name, None) for name in {list(names)}]"
    text = "seen"
    for kind in kinds:
        scope.note(*kind.features)
        text = f"(lambda: run_within({kind.template}, {text}))"
    # Some releases give a value of None for a setting that no one has set.
    scope.bind("seen", f"lambda: repr({read})")
    return repeated(scope.recipe(f"(lambda: [seen(), {text}(), seen()])"))


# Functions made of `function`, which all threads call, of an array tree.
_SHARED: Sequence[Kind] = (
    way("jit", "jax.jit(function)"),
    way("jit-of-jit", "jax.jit(jax.jit(function))"),
    way("jit-partial", "jax.jit(functools.partial(function))"),
    way(
        "jit-named", "(lambda tree, call=jax.jit(lambda *, tree: function(tree)): call(tree=tree))"
    ),
    way(
        "jit-static",
        "functools.partial(jax.jit(lambda call, x: call(x), static_argnums=0), function)",
    ),
    way("checkpoint", "jax.jit(jax.checkpoint(function))"),
    way("vmap", "jax.jit(jax.vmap(function, in_axes=None, axis_size=2))"),
    way("lowered", "(lambda tree, call=jax.jit(function): call.lower(tree).compile()(tree))"),
    way("eval-shape", "(lambda tree, call=jax.jit(function): repr(jax.eval_shape(call, tree)))"),
    way("custom-jvp", "jax.jit(tree_with_custom_jvp(function))", CUSTOM_JVP),
    way("custom-vjp", "jax.jit(tree_with_custom_vjp(function))", CUSTOM_VJP),
    way("scan", "jax.jit(lambda tree: jax.lax.scan(lambda c, _: (c, function(tree)), 0, None, 2))"),
    way("grad", "jax.jit(jax.grad(lambda tree: jnp.real(thread_sum(function(tree)))))", _TOTAL),
)


@st.composite
def one_tree(draw: st.DrawFn) -> Recipe:
    """Draw `works`, functions without arguments that all use the same tree."""
    scope = Scope()
    scope.bind("tree", draw(trees(max_leaves=4)))
    kinds = draw(st.lists(st.sampled_from(available(OPERATIONS)), min_size=2, max_size=4))
    scope.define(REPEATED)
    for kind in kinds:
        scope.define(*kind.definitions)
        scope.note(*kind.features)
    texts = [f"calls_again({kind.template})" for kind in kinds]
    scope.bind("works", f"[{', '.join(texts)}]")
    return scope.recipe()


@st.composite
def one_function(draw: st.DrawFn) -> Recipe:
    """Draw `works`, functions without arguments that all call one transformed function first."""
    scope = Scope()
    scope.bind("tree", draw(trees(real_arrays(), kinds=CONTAINERS, max_leaves=3)))
    scope.bind("function", _FLIPPED)
    kind = draw(st.sampled_from(available(_SHARED)))
    scope.define(*kind.definitions)
    scope.note(*kind.features)
    scope.bind("shared", kind.template)
    scope.bind("works", f"[lambda: shared(tree)] * {draw(st.integers(2, 6))}")
    return scope.recipe()
