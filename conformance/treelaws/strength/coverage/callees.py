"""Which public function a frame runs, and whether the text of a law or of a recipe called it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from treelaws import compat, laws

from .inventory import Public, constructor

# The beginnings of the file names of laws and recipes. Laws call what differs between releases by
# functions of `compat`.
LAWS = (
    *(str(Path(one.__path__[0]).resolve()) for one in (laws, compat)),
    *("<recipe", "<hypothesis_pytrees.generated"),
)
# A compiled function runs its Python function within these.
_JAX = ("/jax/", "/jaxlib/")
# The methods of a Module of Equinox are called by a method of an object that binds them.
_BINDING = "/equinox/_module"


class Callee(NamedTuple):
    """A public function and how its frame is recognised.

    Args:
        public: the function.
        code: the code of its outermost wrapper.
        closure: the objects in the closure of that wrapper; wrappers share their code.
        compiled: whether it is a compiled function, whose Python function runs when it is traced.
        static: whether it is a static method.
    """

    public: Public
    code: CodeType
    closure: tuple[tuple[str, Any], ...] = ()
    compiled: bool = False
    static: bool = False

    def is_run_by(self, frame: FrameType) -> bool:
        """Return whether a frame that has just begun runs this function."""
        names = frame.f_locals
        if isinstance(self.public.value, type):
            # A class may share its constructor with the class from which it is derived. Not
            # `isinstance`: all protocols share one constructor, and most allow no check.
            made = first_argument(self.code, names)
            return self.public.value in type(made).__mro__ or made is self.public.value
        if not (self.public.owner is None or self.static):
            # One function may make the methods of several classes.
            first = first_argument(self.code, names)
            if self.public.owner not in (first if isinstance(first, type) else type(first)).__mro__:
                return False
        return all(names.get(name, _MISSING) is value for name, value in self.closure)


_MISSING = object()


def first_argument(code: CodeType, variables: Mapping[str, Any]) -> Any:
    """Return the first positional argument from the local variables of a frame that has begun."""
    if code.co_argcount:
        return variables.get(code.co_varnames[0])
    if code.co_flags & inspect.CO_VARARGS:
        rest = variables.get(code.co_varnames[code.co_kwonlyargcount], ())
        return rest[0] if rest else None
    return None


def callees(listed: Iterable[Public]) -> Mapping[CodeType, list[Callee]]:
    """Return by code the functions that can be recognised, the most derived classes first."""
    found: dict[CodeType, list[Callee]] = {}
    for public in listed:
        callee = _callee(public)
        if callee is not None:
            found.setdefault(callee.code, []).append(callee)
    for same in found.values():
        same.sort(key=lambda one: -len(getattr(one.public.value, "__mro__", ())))
    return found


def _callee(public: Public) -> Callee | None:
    function: Any = constructor(public.value) if isinstance(public.value, type) else public.value
    compiled = not hasattr(function, "__code__") and hasattr(function, "__wrapped__")
    function = inspect.unwrap(function) if compiled else function
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    cells = zip(code.co_freevars, function.__closure__ or (), strict=False)
    closure = tuple((name, cell.cell_contents) for name, cell in cells if _is_filled(cell))
    name = public.name.rpartition(".")[2]
    static = isinstance(vars(public.owner or object).get(name), staticmethod)
    return Callee(public, code, closure, compiled, static)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def is_called_by(files: tuple[str, ...], frame: FrameType, callee: Callee) -> bool:
    """Return whether text of a file called the function that a frame runs.

    Args:
        files: the beginnings of the names of the files.
        frame: has just begun.
        callee: the function.
    """
    caller = frame.f_back
    if callee.compiled:
        while caller is not None and any(part in _file(caller) for part in _JAX):
            caller = caller.f_back
    elif isinstance(callee.public.value, type):
        while caller is not None and _is_of_a_class(files, caller, callee.public.value):
            caller = caller.f_back
    elif callee.public.owner is not None and caller is not None and _binds(caller):
        caller = caller.f_back
    return caller is not None and caller.f_code.co_filename.startswith(files)


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename.replace("\\", "/")


def _binds(frame: FrameType) -> bool:
    """Return whether a frame calls a method that Equinox has bound."""
    return frame.f_code.co_name == "__call__" and _BINDING in _file(frame)


def _is_of_a_class(files: tuple[str, ...], frame: FrameType, made: type) -> bool:
    """Return whether a frame is that of a metaclass, or of another constructor, of a class."""
    code = frame.f_code
    # Before Python 3.13 a frame keeps the variables that were listed, which a law may drop.
    if code.co_filename.startswith(files):
        return False
    first = first_argument(code, frame.f_locals)
    return made in (first if isinstance(first, type) else type(first)).__mro__
