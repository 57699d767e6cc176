"""The only place that reads a version or asks what a release has."""

from __future__ import annotations

import functools
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
    return frozenset(claims)


def accepts(function: Callable[..., Any], parameter: str) -> bool:
    """Say whether a function has a parameter of that name."""
    return parameter in inspect.signature(function).parameters


def flax_claims(flax: Any) -> frozenset[str]:
    """Give what a release of Flax can do, outside NNX, beyond the names that it has."""
    return frozenset()


def nnx_claims(nnx: Any) -> frozenset[str]:
    """Give what a release of Flax NNX can do beyond the names that it has."""
    return frozenset()


def optax_claims(optax: Any) -> frozenset[str]:
    """Give what a release of Optax can do beyond the names that it has."""
    return frozenset()
