"""Imports one module from a changed source."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._text, self.path, "exec", dont_inherit=True)


class Mutated:
    """A finder that gives a module the changed source; put it first in `sys.meta_path`.

    Args:
        name: the module.
        text: its source.
    """

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of the module; `None` for every other one."""
        if name != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(name, spec.origin, self._text)
        return spec


def install(name: str, text: str) -> None:
    """Let the next import of a module take a changed source.

    Args:
        name: the module; its library is not imported yet.
        text: the source.
    """
    assert name.partition(".")[0] not in sys.modules, f"{name} is imported already"
    sys.meta_path.insert(0, Mutated(name, text))
