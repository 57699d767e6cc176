"""Methods that ran: by a traceback, or while a call was watched."""

from __future__ import annotations

import functools
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from hypothesis_pytrees import Recipe
from treelaws import compat


class Method(NamedTuple):
    """A function that ran.

    Args:
        owner: the class that defines it, which may be a base class; `None` for a plain function.
        code: its code.
    """

    owner: type | None
    code: CodeType

    @property
    def name(self) -> str:
        """The name, such as `Box.__init__`."""
        if self.owner is None:
            return self.code.co_qualname if sys.version_info >= (3, 11) else self.code.co_name
        return f"{self.owner.__name__}.{self.code.co_name}"

    @property
    def of_user(self) -> bool:
        """Whether its source is neither generated nor part of a library or of this package."""
        file = self.code.co_filename
        if file.startswith("<"):
            return file.startswith("<hypothesis_pytrees")
        return not _is_of_library(file)

    def place(self, recipe: Recipe) -> str:
        """Return its file and line, or the line of the minimal input; empty if it is generated.

        Args:
            recipe: the minimal input, which may define the class.
        """
        file, line = self.code.co_filename, self.code.co_firstlineno
        if not file.startswith("<"):
            return f"{Path(file).name}:{line}"
        for text in recipe.definitions:
            before, found, _ = recipe.source().partition(text.rstrip())
            if found and self.code.co_name.strip("<>") in _lines(text, line):
                return f"line {before.count(chr(10)) + line} of the input"
        return ""

    def described(self, recipe: Recipe) -> str:
        """Return its name and its place in parentheses."""
        place = self.place(recipe)
        return f"{self.name} ({place})" if place else self.name


@functools.cache
def _is_of_library(file: str) -> bool:
    """Return whether a file is of Python, of a library that is loaded, or of this package."""
    parents = Path(file).parents
    # Other packages may be installed inside the folder of Python.
    others = {"site-packages", "dist-packages"}.intersection(Path(file).parts)
    python = Path(sysconfig.get_paths()["stdlib"])
    return (python in parents and not others) or any(one in parents for one in _folders())


def _folders() -> Iterator[Path]:
    """Yield the folders of the libraries that are loaded, and of this package."""
    yield Path(__file__).resolve().parents[1]
    for name in ("jaxlib", *compat.LIBRARIES):
        found = getattr(sys.modules.get(name), "__file__", None)
        if found:
            yield Path(found).resolve().parent


def _lines(text: str, line: int) -> str:
    """Return a line of a text and the next few, since decorators come before a `def`."""
    return "\n".join(text.splitlines()[line - 1 : line + 3])


def watched(call: Callable[[], Any]) -> tuple[Any, Exception | None, list[Method]]:
    """Run `call`; return its result, the error it raised, and the Python functions that ran."""
    found: dict[Method, None] = {}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            found[_method(frame)] = None

    value, error, previous = None, None, sys.getprofile()
    sys.setprofile(profile)
    try:
        value = call()
    except Exception as raised:
        # A user's class may raise any error; it is part of what was observed.
        error = raised
    finally:
        sys.setprofile(previous)
    own = (watched.__code__, getattr(call, "__code__", None))
    return value, error, [method for method in found if method.code not in own]


def raised_in(error: BaseException) -> Iterator[Method]:
    """Yield the functions in the traceback of an error, the outermost first."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        yield _method(frame)


def passed_through(method: Method | None, error: BaseException) -> bool:
    """Return whether a method is in the traceback of an error."""
    return method is not None and any(one.code is method.code for one in raised_in(error))


def _method(frame: FrameType) -> Method:
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount]
    first = frame.f_locals.get(names[0]) if names else None
    kind = first if isinstance(first, type) else type(first)
    for base in kind.__mro__:
        if _code(vars(base).get(code.co_name)) is code:
            return Method(base, code)
    return Method(None, code)


def _code(found: Any) -> CodeType | None:
    function = getattr(found, "__func__", getattr(found, "fget", None)) or found
    return getattr(getattr(function, "__wrapped__", function), "__code__", None)
