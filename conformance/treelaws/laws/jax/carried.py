"""JAX: archives by key paths and exported programs, which another release may have written."""

from __future__ import annotations

import jax
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Recipe, Scope, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, NUMPY_ARRAYS, pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.serializable import serializable_trees
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws._archive import archived, numbers, unarchived
from treelaws.laws._carried import carried

law = Topic("jax.carried", "JAX: files of another release", family="jax")
_EXPORT = {
    *("export.export", "export.deserialize", "exports_are_serialised"),
    *("export.register_pytree_node_serialization", "export.register_namedtuple_serialization"),
}
_PATHS = "https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.keystr.html"
# Each gives the same numbers however it is compiled.
_PROGRAMS = (
    ("sort", "jtu.tree_map(lambda leaf: jnp.sort(leaf.ravel()), tree)"),
    ("cumsum", "jtu.tree_map(lambda leaf: jnp.cumsum(leaf.astype(jnp.int32)), tree)"),
    ("argmax", "jtu.tree_map(lambda leaf: jnp.argmax(jnp.append(leaf, leaf)), tree)"),
    ("where", "jtu.tree_map(lambda leaf: jnp.where(leaf == 0, jnp.int32(3), jnp.int32(4)), tree)"),
    ("gather", "jtu.tree_map(lambda leaf: jnp.append(leaf, leaf)[jnp.array([0, -1])], tree)"),
    ("scatter", "jtu.tree_map(lambda leaf: jnp.append(leaf, leaf).at[0].set(1), tree)"),
    ("dot", "jtu.tree_map(lambda leaf: jnp.arange(6).reshape(2, 3) @ jnp.arange(3), tree)"),
    ("scan", "jax.lax.scan(lambda held, x: (held + x, held * x), jnp.int32(1), jnp.arange(4))"),
    ("while", "jax.lax.while_loop(lambda x: x < 5, lambda x: x + 2, jnp.int32(0))"),
    ("cond", "jax.lax.cond(jnp.sum(jnp.arange(3)) > 2, lambda x: x, lambda x: x, tree)"),
    ("jit", "jax.jit(lambda tree: [tree, {'a': tree}])(tree)"),
    ("vmap", "jax.vmap(jnp.add, (0, None))(jnp.arange(3), jnp.arange(2))"),
    # Not carried, since `jax_threefry_partitionable` has another default since JAX 0.5.0.
    ("random", "jax.random.bits(jax.random.wrap_key_data(jnp.uint32([1, 2])), (3,))"),
)  # fmt: skip


@st.composite
def _programs(draw: st.DrawFn) -> Recipe:
    """Bind `tree` and `program`, a function of it."""
    scope = Scope()
    scope.include(draw(serializable_trees()))
    name, text = draw(st.sampled_from(_PROGRAMS))
    scope.note(f"program:{name}")
    scope.bind("program", f"lambda tree: {text}")
    return scope.recipe()


@law(
    "an exported program that was serialised computes what the function computes",
    source="https://docs.jax.dev/en/latest/export/export.html#compatibility-guarantees",
    needs=_EXPORT,
    case=_programs(),
)
def exported_programs_compute_the_same(lib, case):
    exported = lib.export.export(jax.jit(case.program))(case.tree)
    written = carried(bytes(exported.serialize()))
    back = lib.export.deserialize(bytearray(written))
    same(back.call(case.tree), jax.jit(case.program)(case.tree))


@law(
    "leaves that were stored under their key paths as text are found by them",
    source=_PATHS,
    level="observed",
    needs={"tree_util.tree_flatten_with_path", "tree_util.keystr", "tree_util.tree_leaves"},
    case=cases(
        tree=trees(pool((*JAX_ARRAYS, *NUMPY_ARRAYS)), kinds=(*CONTAINERS, *NODES)),
    ),
)
def key_paths_find_the_stored_leaves(lib, case):
    written = carried(archived(lib.tree_util, case.tree))
    read = unarchived(lib.tree_util, written, case.tree)
    same(read, numbers(lib.tree_util.tree_leaves(case.tree)))
