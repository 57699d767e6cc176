"""Functions that create instances of the node types of a library, as its users would write them."""

from __future__ import annotations

import dataclasses
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis_pytrees import Recipe

from .finding import is_namedtuple, node_types
from .library import Library, Texts

# What stands for `$0`, `$1`, ...
_ARRAYS = ("jnp.ones((2, 3))", "jnp.arange(3.0)", "jnp.float32(2)", "jnp.zeros((3, 2))")
_PLACE = re.compile(r"\$(\d+)")


@dataclasses.dataclass(frozen=True)
class Example:
    """A node type and a function that creates an instance of it.

    Args:
        node_type: its public name.
        text: the expression that the function returns.
        factory: the function.
    """

    node_type: str
    text: str
    factory: Callable[[], Any]


def expressions(library: Library) -> dict[str, Texts]:
    """Return the expressions for each node type of an installed library, by public name."""
    named = {**library.nodes, **library.own}
    found = node_types(library) if library.searched else {}
    for name, kind in found.items():
        if is_namedtuple(kind) and not named.get(name) and not not_tried(library, name):
            fields = range(len(vars(kind)["_fields"]))
            named[name] = f"{name}({', '.join(f'${place}' for place in fields)})"
    return named


def not_tried(library: Library, name: str) -> str:
    """Return why a node type is not tried; empty if it is."""
    for left, why in library.not_tried.items():
        if name == left or name.startswith(f"{left}."):
            return why
    return "" if name in library.nodes else library.rest


def examples(library: Library, folder: Path) -> Iterator[Example]:
    """Write a module of functions, import it, and return the functions.

    Args:
        library: an installed library.
        folder: where the module is written; it is added to `sys.path`, so that scripts find it.
    """
    pairs = [
        (name, _filled(text))
        for name, texts in sorted(expressions(library).items())
        for text in ((texts,) if isinstance(texts, str) else texts)
    ]
    modules = {f"import {name.rpartition('.')[0]}" for name, text in pairs if text.startswith(name)}
    written = library.imports.splitlines()
    needed = [one for one in sorted(modules) if library.searched and one not in written]
    functions = [
        f"def make_{number}():\n    return {text}\n" for number, (_, text) in enumerate(pairs)
    ]
    # A recipe knows which names its text must import.
    source = Recipe((library.imports, *functions), (), "None").source()
    module = f"{library.package}_examples"
    (folder / f"{module}.py").write_text("\n".join((*needed, source)), encoding="utf-8")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    made = importlib.import_module(module)
    for number, (name, text) in enumerate(pairs):
        yield Example(name, text, getattr(made, f"make_{number}"))


def _filled(text: str) -> str:
    return _PLACE.sub(lambda found: _ARRAYS[int(found[1]) % len(_ARRAYS)], text)
