"""Creates the subjects of several classes: a list of them, or all that a module defines."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax

from treelaws.core.subject import Subject

from . import forks, source_text
from .making import BadSubject, subject_of

_HEAP_TYPE = 1 << 9


class Several(NamedTuple):
    """Subjects, and the classes that could not become one.

    Args:
        subjects: the subjects, in the order of the list or the module.
        untried: why laws cannot run on a class of a module, by its name.
    """

    subjects: tuple[Subject, ...]
    untried: Mapping[str, str]


def subjects_of(found: Any, *, name: str = "", instances: Any = None) -> Several:
    """Return the subjects of anything that laws run on.

    A module is a library if it has its own functions of JAX, Equinox, Flax or Optax; a module that
    imports them unchanged and defines node classes stands for these classes.

    Args:
        found: as for `subject_of`; or a list of classes, of `Subject`s and of instances, where
            instances of one class are one subject; or a module, which stands for each node class
            that it defines. Abstract classes have no instances and are left out.
        name: the name of the only subject.
        instances: how to create instances of the only class.

    Raises:
        BadSubject: laws can run on nothing of this.
    """
    if not stand_for_several(found):
        return Several((subject_of(found, name=name, instances=instances),), {})
    if isinstance(found, types.ModuleType):
        _refuse_options(name, instances, f"the module {found.__name__}")
        return _of_module(found)
    _refuse_options(name, instances, f"a list of {len(found)}")
    return Several(tuple(map(subject_of, _members(found))), {})


def stand_for_several(found: Any) -> bool:
    """Return whether an object is a list of classes, of unlike instances, or a module of nodes."""
    if isinstance(found, types.ModuleType):
        return _stands_for_classes(found)
    if type(found) not in (list, tuple):
        return False
    return len(_members(found)) > 1 or any(map(_is_class, found))


def _is_class(found: Any) -> bool:
    return isinstance(found, (type, Subject))


def _members(found: Sequence[Any]) -> list[Any]:
    """Return the classes of a list, and a list for the instances of each class."""
    groups: dict[Any, list[Any]] = {}
    for one in found:
        groups.setdefault(("given", id(one)) if _is_class(one) else type(one), []).append(one)
    return [group[0] if _is_class(group[0]) else group for group in groups.values()]


def _refuse_options(name: str, instances: Any, what: str) -> None:
    for option, value in (("name", name or None), ("instances", instances)):
        if value is not None:
            cure = "give one class, or `treelaws.Subject`s in a list"
            raise BadSubject(f"{option}= belongs to one class, not to {what}; {cure}")


def _stands_for_classes(module: types.ModuleType) -> bool:
    family = forks.family_of(module)
    return not family or (not forks.changes(module, family) and bool(_node_classes(module)))


def _of_module(module: types.ModuleType) -> Several:
    found = {source_text.reference(one): _tried(one) for one in _node_classes(module)}
    made = tuple(one for one in found.values() if isinstance(one, Subject))
    untried = {name: one for name, one in found.items() if isinstance(one, str)}
    if untried and not made:
        raise BadSubject("; ".join(untried.values()))
    if not made:
        cure = "give a module that does, or a class"
        raise BadSubject(f"{module.__name__} defines no PyTree node class; {cure}")
    return Several(made, untried)


def _tried(found: type) -> Subject | str:
    """Return the subject of a class, or why there is none."""
    try:
        return subject_of(found)
    except BadSubject as raised:
        return raised.args[0]


def _node_classes(module: types.ModuleType) -> list[type]:
    """Return the node classes that a module, or a module below it, defines; without imports."""
    classes = [one for one in vars(module).values() if isinstance(one, type)]
    inside = (module.__name__, f"{module.__name__}.")
    own = [one for one in classes if f"{one.__module__}.".startswith(inside[1])]
    return [one for one in dict.fromkeys(own) if _is_node(one)]


def _is_node(found: type) -> bool:
    """Return whether JAX takes instances of a class for nodes; no constructor runs."""
    if inspect.isabstract(found):
        return False
    builtin: Any = next(base for base in found.__mro__ if not base.__flags__ & _HEAP_TYPE)
    try:
        blank = builtin.__new__(found)
    except TypeError:
        # Classes of another metaclass, such as an abstract one.
        return False
    return not jax.tree_util.all_leaves([blank])
