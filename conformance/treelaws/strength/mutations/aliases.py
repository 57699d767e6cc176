"""Private aliases, such as `masked = _masking.masked`, that no other source of a library reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .extras import tool
from .modules import Module, folder_of


def unread_aliases(module: Module, parsed: Any) -> frozenset[Any]:
    """Return the assignments that give another module's function a name that nobody reads.

    An older release had the functions in this module; users never import private modules.

    Args:
        module: the module; only a private one has such names.
        parsed: its syntax tree.
    """
    if not any(part.startswith("_") for part in module.name.split(".")):
        return frozenset()
    found = {name: node for statement in parsed.body for name, node in _aliases(statement)}
    read = _read(module, {*found}) if found else set()
    return frozenset(node for name, node in found.items() if name not in read)


def _aliases(statement: Any) -> list[tuple[str, Any]]:
    """Return the assignments `name = module.name` in a statement of a module, with the name."""
    cst = tool("libcst")
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return [
        (one.targets[0].target.value, one)
        for one in parts
        if isinstance(one, cst.Assign)
        and isinstance(one.value, cst.Attribute)
        and isinstance(one.targets[0].target, cst.Name)
        and one.targets[0].target.value == one.value.attr.value
    ]


def _read(module: Module, names: set[str]) -> set[str]:
    """Return the names that the other sources of the library read from a module."""
    last = module.name.rpartition(".")[2]
    by_attribute = re.compile(rf"\b{re.escape(last)}\.(\w+)")
    by_import = re.compile(rf"^\s*from\s+\S*\b{re.escape(last)}\s+import\s+(\([^)]*\)|.*)", re.M)
    found: set[str] = set()
    for path in sorted(folder_of(module.library).rglob("*.py")):
        if path == module.path or path.stem.endswith("_test"):
            continue
        text = _text(path)
        found.update(by_attribute.findall(text))
        for imported in by_import.findall(text):
            found.update(re.findall(r"\w+", imported))
            # A star takes them all.
            found.update(names if "*" in imported else ())
    return names & found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
