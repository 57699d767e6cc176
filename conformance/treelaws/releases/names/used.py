"""Lists the public names that laws and recipe text use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import hypothesis_pytrees
import treelaws
from hypothesis_pytrees.core import names
from hypothesis_pytrees.leaves.dtypes import EXTENDED_NAMES
from hypothesis_pytrees.optax import transformations
from hypothesis_pytrees.tables import TABLES, stated
from treelaws.compat import claims
from treelaws.laws import all_laws

_DOTTED = re.compile(r"(?<![\w./#])(?:jax|jtu|jnp|eqx|equinox|nnx|flax|optax)(?:\.[A-Za-z]\w*)+")
_FOLDERS = (
    Path(hypothesis_pytrees.__file__).parent,
    Path(treelaws.__file__).parent / "compat",
    Path(treelaws.__file__).parent / "laws",
)


def used() -> dict[str, list[str]]:
    """Return the names to look for, sorted, by library; some may not exist in any release."""
    found: dict[str, set[str]] = {}
    dtypes = (f"jax.numpy.{name}" for name in EXTENDED_NAMES)
    for name in {*_needed(), *_written(), *_of_optax(), *claims.named().values(), *dtypes}:
        found.setdefault(name.partition(".")[0], set()).add(name)
    return {library: sorted(found[library]) for library in sorted(found)}


def _needed() -> Iterator[str]:
    for law in all_laws().values():
        if module := names.MODULES.get(law.topic.family):
            yield from (f"{module}.{need}" for need in law.needs)


def _written() -> Iterator[str]:
    """Yield the dotted names in recipe text and in its sources, and what they lie in."""
    ours = {law.topic.id for law in all_laws().values()} | set(_modules())
    files = (file for folder in _FOLDERS for file in sorted(folder.rglob("*.py")))
    kinds = (kind for library in TABLES for kind in stated(library))
    texts = (text for kind in kinds for text in (kind.template, *kind.definitions))
    for text in (*(file.read_text(encoding="utf-8") for file in files), *texts):
        for dotted in _DOTTED.findall(text):
            if dotted in ours:
                continue
            root, *parts = dotted.split(".")
            root = names.ALIASES.get(root, root)
            yield from (".".join((root, *parts[:count])) for count in range(1, len(parts) + 1))


def _modules() -> Iterator[str]:
    """Yield the modules of strategies about one library, which tables name as `nnx.variables`."""
    for file in _FOLDERS[0].rglob("*.py"):
        yield ".".join(file.relative_to(_FOLDERS[0]).with_suffix("").parts)


def _of_optax() -> Iterator[str]:
    for name in transformations.NAMES:
        yield f"optax.{name}"
        if name not in transformations.WHOLE:
            yield from (f"optax.{name}({option})" for option in transformations.OPTIONS)
            yield f"optax.{name}({transformations.SCHEDULES})"
