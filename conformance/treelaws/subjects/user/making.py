"""Creates a subject from a user's node class, instances, factory or library."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import types
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, trees
from hypothesis_pytrees.classes.inferred import NothingInferred, kinds_of_class
from hypothesis_pytrees.core.availability import refusals, usable
from treelaws import compat
from treelaws.core.mismatch import first_line
from treelaws.core.subject import Subject
from treelaws.core.time_limit import Expired, limited
from treelaws.subjects import builtin

from . import advice, bases, forks, rebuilding, source_text

_CURE = (
    "pass instances=: a function without arguments that returns one, a list of instances, or a "
    "Hypothesis strategy of them"
)
# JAX and CPython follow about 1000 levels.
_DEEPEST = 200
# Time limit of one level.
_DEPTH_SECONDS = 1.0


class BadSubject(LookupError):
    """Laws cannot run on an object; the message names it, the reason and the fix."""


def subject_of(found: Any, *, name: str = "", instances: Any = None) -> Subject:
    """Return the subject of a node class, its instances, a factory of them, or a library.

    Args:
        found: a `Subject`, which is returned; a class whose instances are PyTree nodes; a list
            of instances, or a function without arguments that returns one; a module or any object
            with the public functions of JAX, Equinox, Flax, `flax.nnx` or Optax.
        name: its name in reports; default `package.module:object`, or the name of the class if
            that cannot be imported.
        instances: how to create instances of the class if type hints do not say so: a function
            without arguments, a list of instances, or a Hypothesis strategy of instances or
            recipes.

    Raises:
        BadSubject: nothing says how to create instances, they are not PyTree nodes, or `found` is
            none of these.
    """
    # Known departures of the suite's node types also apply to users' nodes that hold them.
    builtin.load()
    if isinstance(found, Subject):
        return found
    # What takes long once is no fault of the class: reading the installed packages, and imports,
    # which are done when the first attempt has spent its time.
    compat.installed("jax")
    called = name or getattr(found, "__qualname__", "what is given")
    try:
        with contextlib.suppress(Expired), limited():
            return _subject_of(found, name, instances)
        with limited():
            return _subject_of(found, name, instances)
    except Expired as expired:
        raise BadSubject(f"{called}: creating an instance {expired}; {_CURE}") from None
    except BadSubject:
        raise
    except Exception as raised:
        told = f"{type(raised).__name__}: {first_line(raised)}"
        raise BadSubject(f"{called}: creating an instance raises {told}; {_CURE}") from raised


def _subject_of(found: Any, name: str, instances: Any) -> Subject:
    if isinstance(found, type):
        return _of_class(found, name, instances)
    if isinstance(found, types.FunctionType) and instances is None:
        made = _checked(found(), name or found.__name__)
        return _node(name or source_text.reference(found), type(made), _of_factory(found))
    if isinstance(found, (list, tuple)) and found and instances is None:
        kind = type(found[0])
        return _of_class(kind, name or source_text.reference(kind), list(found))
    family = forks.family_of(found)
    if family and instances is None:
        return forks.library(
            found, family, name or getattr(found, "__name__", type(found).__name__)
        )
    cure = "give a node class, a list of instances, a function that returns one, or a library"
    raise BadSubject(f"{name or 'what is given'} is of type {type(found).__name__}; {cure}")


def _of_class(found: type, name: str, instances: Any) -> Subject:
    name = name or source_text.reference(found)
    if instances is None:
        return _node(name, found, _inferred(found, name))
    if isinstance(instances, st.SearchStrategy):
        return _node(name, found, (), rebuilding.written(instances))
    if callable(instances):
        _checked(instances(), name)
        return _node(name, found, _of_factory(instances))
    if not isinstance(instances, Sequence) or not instances:
        raise BadSubject(f"{name}: instances={instances!r} gives no instance; {_CURE}")
    for one in instances:
        _checked(one, name)
    try:
        recipes = [rebuilding.recipe_of(one) for one in instances]
    except rebuilding.Unwritable as raised:
        raise BadSubject(f"{name}: {raised}; pass a function that returns an instance") from raised
    kinds = [
        Kind(found.__qualname__, recipe.expression, recipe.definitions, takes=_leaves_of(one))
        for one, recipe in zip(instances, recipes, strict=True)
    ]
    return _node(name, found, tuple(kinds))


def _inferred(found: type, name: str) -> tuple[Kind, ...]:
    text, called = source_text.define(found)
    try:
        kinds = kinds_of_class(found, name=found.__qualname__, called=called, definition=text)
    except NothingInferred as raised:
        raise BadSubject(f"{name}: {raised}, so instances cannot be created; {_CURE}") from raised
    taken = usable(kinds)
    if not taken:
        kind, error = next(iter(refusals(kinds).items()))
        reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        raise BadSubject(f"{name}: {kind.text(['1.0'] * kind.arity)} raises {reason}; {_CURE}")
    built = Recipe(taken[0].definitions, (), taken[0].text(["1.0"] * taken[0].arity)).build()
    _checked(built, name)
    return taken


def _of_factory(factory: Callable[[], Any]) -> tuple[Kind, ...]:
    text, called = source_text.define(factory)
    made = factory()
    return (Kind(type(made).__qualname__, f"{called}()", (text,), takes=_leaves_of(made)),)


def _leaves_of(instance: Any) -> str:
    """Return `"array"` if all its leaves are arrays, else `""`."""
    jax = importlib.import_module("jax")
    leaves = jax.tree_util.tree_leaves(instance)
    return "array" if all(isinstance(leaf, jax.Array) for leaf in leaves) else ""


def _checked(instance: Any, name: str) -> Any:
    jax = importlib.import_module("jax")
    if jax.tree_util.all_leaves([instance]):
        kind = type(instance).__qualname__
        cure = f"register {kind} with jax.tree_util, or give instances of a class that is"
        raise BadSubject(f"{name}: a {kind} is a leaf to JAX, not a node; {cure}")
    if _depth(instance) >= _DEEPEST:
        kind, levels = type(instance).__qualname__, f"{_DEEPEST} levels of children"
        cure = "give instances that are less deep, and a flatten that does not return the node"
        raise BadSubject(f"{name}: a {kind} has more than {levels}, perhaps without end; {cure}")
    return instance


def _depth(instance: Any) -> int:
    """Return the number of levels of a node, or `_DEEPEST` if it has more.

    JAX flattens recursively; after a RecursionError there, CPython raises one in each deep call of
    the process. So the levels are counted one by one, each time in the last child with children.
    """
    jax = importlib.import_module("jax")
    inner = [instance]
    for level in range(_DEEPEST):
        # A flatten that raises or does not end is reported by the laws.
        try:
            with limited(_DEPTH_SECONDS):
                children = [child for node in inner[-1:] for child in _children(jax, node)]
        except (Exception, SystemExit, Expired):
            return level
        inner = [child for child in children if not jax.tree_util.all_leaves([child])]
        if not inner:
            return level
    return _DEEPEST


def _children(jax: Any, node: Any) -> list[Any]:
    asked = itertools.count()
    return jax.tree_util.tree_leaves(node, is_leaf=lambda _: next(asked) > 0)


def _node(
    name: str,
    found: type,
    kinds: tuple[Kind, ...],
    drawn: st.SearchStrategy[Recipe] | None = None,
) -> Subject:
    kind = kinds[0].name if kinds else found.__qualname__
    # Pickle finds classes by name, which fails for local ones.
    local = ("node:unpicklable",) if "<locals>" in found.__qualname__ else ()
    kinds = tuple(_tagged(one, (*local, *bases.features_of(found))) for one in kinds)

    def instances(**options: Any) -> st.SearchStrategy[Recipe]:
        if drawn is not None:
            return drawn
        return trees(**{**options, "roots": kinds})

    return Subject(
        name,
        "node",
        functools.partial(importlib.import_module, "jax"),
        kind=kind,
        instances=instances,
        base=bases.base_of(found),
        kinds=kinds,
        advice=advice.advice if kinds else None,
    )


def _tagged(kind: Kind, features: tuple[str, ...]) -> Kind:
    return Kind(kind.name, kind.template, kind.definitions, (*kind.features, *features), kind.takes)
