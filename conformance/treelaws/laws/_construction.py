"""Calls of the classes and functions that a library documents, one of each kind."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe
from hypothesis_pytrees.core.availability import refusals, trial_child
from hypothesis_pytrees.core.names import MODULES, has, table
from hypothesis_pytrees.tables import documented
from treelaws.core.subject import Subject, value_of

# The name of a library in recipe text, if it is not that of the family.
_ROOTS = {"equinox": "eqx"}
# Modules that have a family of their own, or that are only loaded if they are imported by name.
_ELSEWHERE = {"nnx", "ad_checkpoint", "experimental", "export", "extend"}
_ABSENT = object()
# Up to 680 kinds; Hypothesis draws no kind twice, and stops after the last.
EACH_KIND = 7.0
# A module that holds itself has no leaves to compare.
_CYCLE = "nnx:cycle"


def constructions(library: str) -> st.SearchStrategy[Recipe]:
    """Draw `build`, a function that builds what a library documents.

    Other laws leave out kinds that fail to build, so that one bug is one report: these are drawn
    half of the time.

    Args:
        library: one of `hypothesis_pytrees.tables.TABLES`.
    """
    return st.deferred(lambda: _constructions(library))


@functools.cache
def _constructions(library: str) -> st.SearchStrategy[Recipe]:
    kinds = documented(library)
    failing = tuple(refusals(kinds))
    every = st.sampled_from(kinds).map(_recipe)
    return st.one_of(every, st.sampled_from(failing).map(_recipe)) if failing else every


@functools.cache
def _recipe(kind: Kind) -> Recipe:
    text = kind.text([trial_child(kind)] * kind.arity)
    if _CYCLE in kind.features:
        text = f"type({text}).__name__"
    features = frozenset({kind.name, *kind.features})
    return Recipe(kind.definitions, (f"build = lambda: {text}",), "", features)


def places(tree: Any) -> list[tuple[str, str]]:
    """Return the key path of each leaf, and the name of its type."""
    flat = jtu.tree_flatten_with_path(tree)[0]
    return [(jtu.keystr(path), type(leaf).__name__) for path, leaf in flat]


def documented_names(subject: Subject) -> st.SearchStrategy[Recipe]:
    """Draw `find`, a function that returns something by a name that the release has.

    The names are those that laws and inputs use; names that are missing are drawn half of the time.

    Args:
        subject: the library; a variant of one needs only the names that it has.
    """
    module, root = f"{MODULES[subject.family]}.", _ROOTS.get(subject.family, subject.family)
    stated = [name for name in table() if name.startswith(module) and has(name)]
    names = [name for one in stated if not _is_elsewhere(name := one.removeprefix(module))]
    values = quietly(lambda: {name: value_of(subject.lib, name, _ABSENT) for name in names})
    names = [name for name in names if subject.shipped or values[name] is not _ABSENT]
    missing = [name for name in names if values[name] is _ABSENT or values[name] is None]
    every = st.sampled_from(names)
    found = st.one_of(every, st.sampled_from(missing)) if missing else every
    return found.map(lambda name: Recipe(statements=(f"find = lambda: {root}.{name}",)))


def quietly(find: Callable[[], Any]) -> Any:
    """Call a function without the warnings of names that are deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return find()


def _is_elsewhere(name: str) -> bool:
    """Return whether a name is a parameter, or lies in a module with other laws or loaded late."""
    return "(" in name or name.split(".")[0] in _ELSEWHERE
