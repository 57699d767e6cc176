"""Claims of a release beyond its names: promises and abilities that laws need."""

from __future__ import annotations

from typing import Any

from . import accepts, matches, version


def of_jax(jax: Any) -> frozenset[str]:
    """Return the claims of a release of JAX beyond its names."""
    util = jax.tree_util
    claims = set()
    if accepts(util.tree_flatten_with_path, "is_leaf_takes_path"):
        claims.add("is_leaf_takes_path")
    if accepts(util.keystr, "simple"):
        claims.add("keystr_simple")
    if accepts(util.register_pytree_node, "flatten_with_keys_func"):
        claims.add("flatten_with_keys_func")
    names = ("from_node_data_and_children", "make_from_node_data_and_children")
    if any(hasattr(util.PyTreeDef, name) for name in names):
        claims.add("structure_from_node_data")
    try:
        util.tree_map(max, [1, 2], [1])
    except ValueError as raised:
        if "key path" in str(raised):
            claims.add("mismatch_place")
    return frozenset(claims)


def of_equinox(eqx: Any) -> frozenset[str]:
    """Return the claims of a release of Equinox beyond its names."""
    # Equinox up to 0.11 documents converters as running before `__post_init__`; this reads its
    # docstring, since such a release keeps its promise.
    promise = " ".join((eqx.field.__doc__ or "").split())
    claims = set() if "before `__post_init__`" in promise else {"converters_after_post_init"}
    # Fields are documented as those of dataclasses, which up to Python 3.10 refuse lists, dicts and
    # sets alone.
    if matches("python", ">=3.11"):
        claims.add("unhashable_defaults_are_refused")
    # The recipes of training take Equinox and Optax together.
    if version("optax") is not None:
        claims.add("optax")
    return frozenset(claims)


def of_flax(flax: Any) -> frozenset[str]:
    """Return the claims of a release of Flax, outside NNX, beyond its names."""
    return frozenset()


def of_nnx(nnx: Any) -> frozenset[str]:
    """Return the claims of a release of Flax NNX beyond its names."""
    claims = set()
    # Claims for new behaviour of old names.
    if accepts(nnx.iter_graph, "graph"):
        claims.add("tree_mode")
    if matches("flax", ">=0.12.7"):
        claims.add("optimizer_returns_updates")
    if accepts(nnx.split_rngs, "graph_updates"):
        claims.add("split_rngs_gives_a_copy")
    if matches("flax", ">=0.12.5"):
        # Before, data in a static attribute were arrays alone, and looked for after `__init__`.
        claims.add("attributes_are_checked")
    if (nnx.Sequential.__init__.__doc__ or "").strip() and matches("flax", ">=0.11"):
        claims.add("sequential_without_layers")
    if hasattr(nnx, "variable_type_from_name") and accepts(
        nnx.variable_type_from_name, "allow_register"
    ):
        claims.add("variable_names_are_registered")
    if accepts(nnx.clone, "arrays"):
        claims.add("clone_copies_arrays")
    if accepts(nnx.merge, "copy"):
        claims.add("merge_copies_on_demand")
    # A Variable is a PyTree since 0.10.7, a module since 0.11.
    import jax

    for claim, one in (("variables_are_nodes", nnx.Param(0.0)), ("modules_are_nodes", nnx.Rngs(0))):
        if not jax.tree_util.all_leaves((one,)):
            claims.add(claim)
    return frozenset(claims)


def of_optax(optax: Any) -> frozenset[str]:
    """Return the claims of a release of Optax beyond its names."""
    return frozenset()
