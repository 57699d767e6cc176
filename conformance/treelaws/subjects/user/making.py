"""Creates a subject from a user's node class, instances, factory or library."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import types
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, trees
from hypothesis_pytrees.classes.inferred import NothingInferred, instances_of_class, never_given
from hypothesis_pytrees.core.availability import example
from treelaws import compat
from treelaws.children.hazard import Hazard
from treelaws.compat import devices
from treelaws.core.defects import line_at_fault
from treelaws.core.limits.time_limit import Expired, ends_the_run, limited
from treelaws.core.mismatch import first_line
from treelaws.core.subject import Subject
from treelaws.cures.choosing import cures
from treelaws.subjects import builtin

from . import bases, forks, rebuilding, rerunning, source_text
from .hazards import hazard_of, tried_apart
from .held_leaves import with_held_leaves
from .static_arguments import with_static_arguments

_CURE = (
    "give a function without arguments that returns one, as the subject or as instances=, which "
    "also takes a list of instances or a Hypothesis strategy of them"
)


class BadSubject(LookupError):
    """Laws cannot run on an object; the message names it, the reason and the fix."""


def subject_of(found: Any, *, name: str = "", instances: Any = None) -> Subject:
    """Return the subject of a node class, its instances, a factory of them, or a library.

    Args:
        found: a `Subject`, which is returned; a class whose instances are PyTree nodes; a list
            of instances of one class, or a function without arguments that returns one; a module
            or any object with the public functions of JAX, Equinox, Flax, `flax.nnx` or Optax.
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
    # Some work is slow only once, whatever the class: reading the installed packages, and imports,
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
    except BaseException as raised:
        if ends_the_run(raised):
            raise
        told = f"{type(raised).__name__}: {first_line(raised)}"
        raise BadSubject(f"{called}: creating an instance raises {told}; {_CURE}") from raised


def recreated(found: Any, instances: Any, hazard: Hazard) -> Subject:
    """Return the subject of a class with a hazard, in the child process that runs its laws.

    Args:
        found: the class, or the function that makes an instance.
        instances: the function that makes instances of the class; `None` without one.
        hazard: that of the subject; nothing is tried again.
    """
    builtin.load()
    made_by = found if instances is None else instances
    if isinstance(made_by, type):
        # Defines the classes that its type hints name.
        _calls_of(made_by, hazard.name)
    source_text.define_as(made_by, *hazard.text)
    kind = found if isinstance(found, type) else type(found())
    return _node(hazard.name, kind, hazard.kinds)


def _subject_of(found: Any, name: str, instances: Any) -> Subject:
    if isinstance(found, type):
        made = _of_class(found, name, instances)
        return _described(made, found, instances, rerunning.of_class(found, instances, made.name))
    if isinstance(found, types.FunctionType) and instances is None:
        name = name or source_text.reference(found)
        instance = _made_by(found, name)
        hazard = hazard_of(instance)
        made = _node(name, type(instance), _of_factory(found, hazard), hazard=hazard)
        return _described(made, found, None, rerunning.of_object(found, made.name))
    if isinstance(found, (list, tuple)) and found and instances is None:
        kind = type(_checked(found[0], name or "what is given"))
        made = _of_class(kind, name or source_text.reference(kind), list(found))
        return dataclasses.replace(made, rerun=rerunning.of_class(kind, list(found), made.name))
    family = forks.family_of(found)
    if family and instances is None:
        return forks.library(
            found, family, name or getattr(found, "__name__", type(found).__name__)
        )
    cure = "give a node class, a list of instances, a function that returns one, or a library"
    raise BadSubject(f"{name or 'what is given'} is of type {type(found).__name__}; {cure}")


def _described(made: Subject, found: Any, instances: Any, rerun: str) -> Subject:
    """Return the subject with how to run a law on it again, here or in a child process."""
    hazard = made.hazard
    if hazard is not None:
        mine, given = (
            "" if one is None else source_text.reference(one) for one in (found, instances)
        )
        hazard = Hazard(
            hazard.told,
            found=mine,
            instances=given,
            name=made.name,
            importable=":" in mine and (not given or ":" in given),
            text=source_text.define(found if instances is None else instances),
            kinds=made.kinds,
        )
    return dataclasses.replace(made, rerun=rerun, hazard=hazard)


def _of_class(found: type, name: str, instances: Any) -> Subject:
    name = name or source_text.reference(found)
    if instances is None:
        return _inferred(found, name)
    if isinstance(instances, st.SearchStrategy):
        _made_by(functools.partial(rebuilding.first_of, instances), name)
        return _node(name, found, (), rebuilding.written(instances))
    if callable(instances):
        hazard = hazard_of(_made_by(instances, name))
        return _node(name, found, _of_factory(instances, hazard), hazard=hazard)
    if not isinstance(instances, Sequence) or not instances:
        raise BadSubject(f"{name}: instances={instances!r} gives no instance; {_CURE}")
    for one in instances:
        if hazard := hazard_of(_checked(one, name)):
            raise BadSubject(f"{name}: {hazard}; pass a function that returns an instance")
    try:
        recipes = [rebuilding.recipe_of(one) for one in instances]
    except rebuilding.Unwritable as raised:
        raise BadSubject(f"{name}: {raised}; pass a function that returns an instance") from raised
    kinds = [Kind(found.__qualname__, one.expression, one.definitions) for one in recipes]
    return _node(name, found, tuple(map(with_held_leaves, kinds)))


def _inferred(found: type, name: str) -> Subject:
    kinds = _calls_of(found, name)
    hazard = hazard_of(_checked(example(kinds[0]), name))
    if not hazard and not any(kind.arity for kind in kinds):
        _have_leaves(found, name, kinds)
    return _node(name, found, _completed(kinds, hazard), hazard=hazard)


def _have_leaves(found: type, name: str, kinds: Sequence[Kind]) -> None:
    """Raise `BadSubject` if instances have no leaves for want of type hints."""
    leaves = importlib.import_module("jax").tree_util.tree_leaves
    left_out = ", ".join(map(repr, never_given(found)))
    if left_out and not any(leaves(example(kind)) for kind in kinds):
        told = f"no type hint says what {found.__qualname__} takes as {left_out}"
        raise BadSubject(f"{name}: {told}, and without it instances have no leaves; {_CURE}")


def _calls_of(found: type, name: str) -> tuple[Kind, ...]:
    text, called = source_text.define(found)
    define = functools.partial(source_text.define_beside, text=text, found=found)
    try:
        return instances_of_class(
            found, name=found.__qualname__, called=called, definition=text, define=define
        )
    except NothingInferred as raised:
        raise BadSubject(f"{name}: {raised}, so instances cannot be created; {_CURE}") from raised


def _of_factory(factory: Callable[[], Any], hazard: str) -> tuple[Kind, ...]:
    text, called = source_text.define(factory)
    return _completed([Kind(type(factory()).__qualname__, f"{called}()", (text,))], hazard)


def _completed(kinds: Sequence[Kind], hazard: str) -> tuple[Kind, ...]:
    """Return kinds that say which values they hold, which their instances have to be asked for."""

    def complete() -> tuple[Kind, ...]:
        return tuple(with_held_leaves(with_static_arguments(kind)) for kind in kinds)

    return complete() if not hazard else tried_apart(complete) or tuple(kinds)


def _made_by(factory: Callable[[], Any], name: str) -> Any:
    try:
        instance = factory()
    except Exception as raised:
        told = f"{type(raised).__name__}: {first_line(raised)}"
        if line := line_at_fault(raised):
            told += f" ({line})"
        if "device" in told and devices.asked():
            told += (
                f"; this run has {devices.COUNT} virtual CPU devices, and with "
                "JAX_NUM_CPU_DEVICES=1 in the environment it has one"
            )
        raise BadSubject(f"{name}: making an instance raises {told}") from raised
    return _checked(instance, name)


def _checked(instance: Any, name: str) -> Any:
    jax = importlib.import_module("jax")
    if jax.tree_util.all_leaves([instance]):
        kind = type(instance).__qualname__
        cure = f"register {kind} with jax.tree_util, or give instances of a class that is"
        raise BadSubject(f"{name}: a {kind} is a leaf to JAX, not a node; {cure}")
    return instance


def _node(
    name: str,
    found: type,
    kinds: tuple[Kind, ...],
    drawn: st.SearchStrategy[Recipe] | None = None,
    *,
    hazard: str = "",
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
        advice=cures,
        hazard=Hazard(hazard) if hazard else None,
    )


def _tagged(kind: Kind, features: tuple[str, ...]) -> Kind:
    return dataclasses.replace(kind, features=tuple(dict.fromkeys((*kind.features, *features))))
