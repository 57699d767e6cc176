"""Makes subjects of the node types of a library."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator
from typing import Any

import jax

from hypothesis_pytrees import Kind, Recipe, trees
from treelaws import Subject
from treelaws.core.departures import known
from treelaws.core.law import Law

from .finding import is_namedtuple, node_types
from .library import Library, Text, Texts


@functools.cache
def subjects_of(library: Library) -> list[Subject]:
    """Return a subject for each node type of an installed library, under its public name."""
    return [_subject(library, name, texts) for name, texts in sorted(written(library).items())]


def written(library: Library) -> dict[str, Texts]:
    """Return the texts of the node types of an installed library by their public names."""
    named = {**library.nodes, **library.own}
    found = node_types(library) if library.searched else {}
    return named | {
        name: f"{name}({', '.join(map(_field, range(len(kind._fields))))})"  # type: ignore[attr-defined]
        for name, kind in found.items()
        if name not in named and is_namedtuple(kind) and not reason(library, name)
    }


def reason(library: Library, name: str) -> str:
    """Tell why a node type is not tried; empty where it is."""
    for left, why in library.not_tried.items():
        if name == left or name.startswith(f"{left}."):
            return why
    return ""


def covered(law: Law, subject: Subject) -> str:
    """Name a known departure that covers each case of a law on a subject; empty where none does.

    Args:
        law: the law.
        subject: one of `subjects_of`.
    """
    features = [{kind.name, *kind.features} for kind in subject.kinds]
    found = [one for each in (law, *law.ancestors) for one in known.applying(each.id)]
    about = [one for one in found if one.subject in (subject.name, subject.base)]
    names = (one.name for one in about if all(map(one.covers, features)))
    return next(names, "")


def _field(index: int) -> str:
    # One tree is enough: of many, none would be small.
    return f"{index}.0" if index else "$0"


def _subject(library: Library, name: str, texts: Texts) -> Subject:
    each = texts if isinstance(texts, tuple) else (texts,)
    kinds = tuple(_kind(library, name, text) for text in each)
    modules = any("module" in kind.features for kind in kinds)
    return Subject(
        name,
        "node",
        functools.partial(importlib.import_module, "jax"),
        kind=name,
        instances=functools.partial(trees, roots=kinds),
        # What Equinox breaks for every Module is no second finding.
        base="eqx.Module" if modules else "",
        requires=library.package,
        kinds=kinds,
    )


def _kind(library: Library, name: str, given: str | Text) -> Kind:
    one = given if isinstance(given, Text) else Text(given)
    own = one.text.startswith(f"{name}(")
    texts = (library.imports, *([f"import {name.rpartition('.')[0]}\n"] if own else ()))
    plain = Kind(name, one.text, texts)
    built = Recipe(plain.definitions, (), plain.text(["1.0"] * plain.arity)).build()
    return Kind(name, one.text, texts, (*one.features, *_of_equinox(built)))


def _of_equinox(instance: Any) -> Iterator[str]:
    """Name what of Equinox an instance holds, by which known departures of `eqx.Module` go."""
    eqx = importlib.import_module("equinox")
    nodes: list[Any] = []
    jax.tree_util.tree_flatten(instance, is_leaf=lambda node: bool(nodes.append(node)))
    modules = [node for node in nodes if isinstance(node, eqx.Module)]
    found = {feature for module in modules for feature in _of_module(module)}
    yield from ("module", *sorted(found)) if modules else ()


def _of_module(module: Any) -> Iterator[str]:
    bases = type(module).__mro__
    if any(hasattr(base, "__parameters__") for base in bases):
        yield "module:generic"
    held = [value for base in bases for value in vars(base).values()]
    if any(isinstance(value, functools.cached_property) for value in held):
        yield "module:cached-property"
    if any(name not in vars(module) for name in type(module).__dataclass_fields__):
        yield "module:default-unset"
    if hasattr(module, "__wrapped__"):
        yield "module:wrapper"
