"""Finds the source of modules of a library under test, without importing the library."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from treelaws.core.close_names import did_you_mean
from treelaws.core.errors import BadInput

# By library: the modules that its laws import.
LIBRARIES = {
    "jax": ("jax", "jax.flatten_util"),
    "equinox": ("equinox",),
    "flax": ("flax", "flax.nnx"),
    "optax": ("optax",),
    "chex": ("chex",),
}


class Module(NamedTuple):
    """A module of an installed library.

    Args:
        name: the dotted name.
        path: its file.
        file: the path below the folder of the library, with `/`.
    """

    name: str
    path: Path
    file: str

    @property
    def library(self) -> str:
        """The top-level module."""
        return self.name.partition(".")[0]

    def text(self) -> str:
        """Return the source."""
        return self.path.read_text(encoding="utf-8")


def folder_of(library: str) -> Path:
    """Return the folder of an installed library.

    Raises:
        BadInput: it is not installed, or is not one of the libraries under test.
    """
    if library not in LIBRARIES:
        choice = did_you_mean(library, LIBRARIES) or f"choose from {', '.join(LIBRARIES)}"
        raise BadInput(f"--module: the laws do not test {library!r}; {choice}")
    spec = importlib.util.find_spec(library)
    if spec is None or not spec.submodule_search_locations:
        raise BadInput(f"--module: {library} is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def modules_named(name: str) -> list[Module]:
    """Return the module of that name; of a package all modules but its tests, in order.

    Raises:
        BadInput: it does not exist, has no source in Python, or belongs to another library.
    """
    library, _, inner = name.partition(".")
    root = folder_of(library)
    base = root.joinpath(*inner.split(".")) if inner else root
    if base.is_dir():
        found = [_module(root, path) for path in _sources(base)]
    else:
        found = [_module(root, base.with_suffix(".py"))]
    if base.is_dir() and found:
        return found
    if found and found[0].path.is_file():
        return found
    if base.is_dir() or list(base.parent.glob(f"{base.name}.*")):
        raise BadInput(f"--module: {name} has no source in Python")
    siblings = [found.name for found in modules_named(_parent(name))] if inner else []
    hint = did_you_mean(name, siblings)
    raise BadInput(f"--module: {library} has no module {name!r}{hint and '; '}{hint}")


def _parent(name: str) -> str:
    """Return the innermost package of a name that exists."""
    library, *inner = name.split(".")
    folder, parent = folder_of(library), library
    for part in inner:
        folder = folder / part
        if not folder.is_dir():
            break
        parent = f"{parent}.{part}"
    return parent


def _sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        if not path.stem.endswith("_test") and path.stem != "conftest":
            yield path


def _module(root: Path, path: Path) -> Module:
    parts = path.relative_to(root.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, path, path.relative_to(root.parent).as_posix())
