"""The only place that reads a version or asks what a release has."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import inspect
import platform
from collections.abc import Callable
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

LIBRARIES = ("jax", "jaxlib", "equinox", "flax", "optax", "numpy", "hypothesis")


@functools.cache
def version(package: str) -> str | None:
    """Give the installed version of a distribution, or `None` where it is not installed."""
    if package == "python":
        return platform.python_version()
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def built_from_source(package: str) -> bool:
    """Say whether a distribution came from a folder or a repository instead of an index.

    Source: https://packaging.python.org/en/latest/specifications/direct-url/
    """
    try:
        return importlib.metadata.distribution(package).read_text("direct_url.json") is not None
    except importlib.metadata.PackageNotFoundError:
        return False


def specifier(text: str) -> SpecifierSet:
    """Parse a PEP 440 specifier such as `">=0.13,<0.13.5"`.

    Raises:
        ValueError: it is not one.
    """
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        raise ValueError(f"{text!r} is no version specifier; write for example '>=0.13'") from None


def matches(package: str, spec: str) -> bool:
    """Say whether the installed version of a package meets a specifier.

    A development or pre-release version counts as the release it leads to.
    """
    found = version(package)
    return found is not None and Version(found).base_version in specifier(spec)


def treedef_maker(jax: Any) -> Callable[..., Any]:
    """Give the function that makes a `PyTreeDef` of a registry, node data and children."""
    cls = jax.tree_util.PyTreeDef
    if hasattr(cls, "from_node_data_and_children"):
        return cls.from_node_data_and_children
    return cls.make_from_node_data_and_children


def jax_claims(jax: Any) -> frozenset[str]:
    """Give what a release of JAX can do beyond the names that it has."""
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


def equinox_claims(eqx: Any) -> frozenset[str]:
    """Give what a release of Equinox promises beyond the names that it has."""
    # Equinox up to 0.11 documents converters as running before `__post_init__`; its text is asked,
    # since what that release did is no breach of what it promised.
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


def accepts(function: Callable[..., Any], parameter: str) -> bool:
    """Say whether a function has a parameter of that name."""
    return parameter in inspect.signature(function).parameters


def flax_claims(flax: Any) -> frozenset[str]:
    """Give what a release of Flax can do, outside NNX, beyond the names that it has."""
    return frozenset()


def nnx_claims(nnx: Any) -> frozenset[str]:
    """Give what a release of Flax NNX can do beyond the names that it has."""
    claims = set()
    # Names of its own for what is new in the behaviour of old names.
    if accepts(nnx.iter_graph, "graph"):
        claims.add("tree_mode")
    if nnx_modules_are_nodes():
        claims.add("modules_are_nodes")
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

    for claim, one in (("variables_are_trees", nnx.Param(0.0)), ("modules_are_trees", nnx.Rngs(0))):
        if not jax.tree_util.all_leaves((one,)):
            claims.add(claim)
    return frozenset(claims)


@functools.cache
def nnx_modules_are_nodes() -> bool:
    """Say whether modules of Flax NNX are PyTrees: since 0.11.0."""
    return matches("flax", ">=0.11")


def nnx_variables_are_nodes() -> bool:
    """Say whether Variables of Flax NNX are PyTrees: since 0.10.7."""
    return matches("flax", ">=0.10.7")


def nnx_optimizer_update(optimizer: Any, model: Any, grads: Any) -> Any:
    """Let an Optimizer of Flax NNX make a step: since 0.11 it is told the model each time."""
    if matches("flax", ">=0.11"):
        return optimizer.update(model, grads)
    return optimizer.update(grads)


def nnx_raw_value(variable: Any) -> Any:
    """Give what a Variable of Flax NNX holds, without its hooks."""
    cls = type(variable)
    if hasattr(cls, "get_raw_value"):
        return variable.get_raw_value()
    # Up to 0.10.6 a State holds VariableStates, whose value is the raw one.
    return variable.value if cls.__name__ == "VariableState" else variable.raw_value


def nnx_value(variable: Any) -> Any:
    """Read a Variable of Flax NNX as its users do: `get_value` since 0.12.1, before it `value`."""
    return variable.get_value() if hasattr(type(variable), "get_value") else variable.value


def nnx_set_value(variable: Any, value: Any) -> None:
    """Write a Variable of Flax NNX as its users do: `set_value` since 0.12.1, before it `value`."""
    if hasattr(type(variable), "set_value"):
        variable.set_value(value)
    else:
        variable.value = value


def nnx_type(variable: Any) -> tuple[type, ...]:
    """Give the type of a Variable of Flax NNX; of a VariableState also the type it stands for."""
    cls = type(variable)
    return (cls, variable.type) if cls.__name__ == "VariableState" else (cls,)


def nnx_flat(nnx: Any, state: Any) -> dict[tuple[Any, ...], Any]:
    """Give the leaves of a State of Flax NNX by path: a method up to 0.10.3, then a function."""
    return dict(nnx.to_flat_state(state) if hasattr(nnx, "to_flat_state") else state.flat_state())


def nnx_from_flat(nnx: Any, flat: Any) -> Any:
    """Make a State of Flax NNX from its leaves by path."""
    if hasattr(nnx, "from_flat_state"):
        return nnx.from_flat_state(flat)
    return nnx.State.from_flat_path(flat)


def nnx_pure(nnx: Any, state: Any) -> dict[Any, Any]:
    """Give the values of a State of Flax NNX as nested dicts."""
    return nnx.to_pure_dict(state) if hasattr(nnx, "to_pure_dict") else state.to_pure_dict()


def nnx_replace_pure(nnx: Any, state: Any, pure: Any) -> None:
    """Put the values of nested dicts into a State of Flax NNX."""
    if hasattr(nnx, "replace_by_pure_dict"):
        nnx.replace_by_pure_dict(state, pure)
    else:
        state.replace_by_pure_dict(pure)


def nnx_merge_states(nnx: Any, *states: Any) -> Any:
    """Make one State of Flax NNX of several."""
    return nnx.merge_state(*states) if hasattr(nnx, "merge_state") else nnx.State.merge(*states)


def nnx_split_state(nnx: Any, state: Any, *filters: Any) -> tuple[Any, ...]:
    """Split a State of Flax NNX by filters that match everything; always give a tuple."""
    split = nnx.split_state if hasattr(nnx, "split_state") else type(state).split
    parts = split(state, *filters)
    return parts if isinstance(parts, tuple) else (parts,)


def nnx_filter_state(nnx: Any, state: Any, *filters: Any) -> tuple[Any, ...]:
    """Give the parts of a State of Flax NNX that filters match; always give a tuple."""
    filtered = nnx.filter_state if hasattr(nnx, "filter_state") else type(state).filter
    parts = filtered(state, *filters)
    return parts if isinstance(parts, tuple) else (parts,)


def nnx_diff(nnx: Any, state: Any, other: Any) -> Any:
    """Give what a State of Flax NNX has and another has not: an operator, then a function."""
    statelib = nnx.statelib
    return statelib.diff(state, other) if hasattr(statelib, "diff") else state - other


def nnx_map_state(nnx: Any, function: Any, state: Any) -> Any:
    """Map a function of path and leaf over a State of Flax NNX."""
    return nnx.map_state(function, state) if hasattr(nnx, "map_state") else state.map(function)


def nnx_set_metadata(variable: Any, **metadata: Any) -> None:
    """Set metadata of a Variable of Flax NNX: attributes up to 0.11, then `set_metadata`."""
    if hasattr(type(variable), "set_metadata"):
        variable.set_metadata(**metadata)
    else:
        for name, value in metadata.items():
            setattr(variable, name, value)


def nnx_metadata(variable: Any) -> dict[str, Any]:
    """Give the metadata of a Variable of Flax NNX."""
    return dict(variable.get_metadata())


def optax_claims(optax: Any) -> frozenset[str]:
    """Give what a release of Optax can do beyond the names that it has."""
    return frozenset()


def double_precision() -> Any:
    """Give the context in which JAX has 64-bit types."""
    import jax

    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    return importlib.import_module("jax.experimental").enable_x64()
