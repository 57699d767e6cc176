"""The releases that have each public name that laws and recipe text use.

`python -m treelaws names --write` asks every supported release and writes `names.json`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .releases import Since

FILE = Path(__file__).with_name("names.json")
# The names that recipe text has for modules.
ALIASES: Mapping[str, str] = {
    "jnp": "jax.numpy",
    "jtu": "jax.tree_util",
    "eqx": "equinox",
    "nnx": "flax.nnx",
}
# By family of subjects: the module that their laws call.
MODULES: Mapping[str, str] = {
    "jax": "jax",
    "node": "jax",
    "equinox": "equinox",
    "flax": "flax",
    "nnx": "flax.nnx",
    "optax": "optax",
    "transformation": "optax",
}
# No changelog lists all names: the file that exports or defines one at the tag is the source.
_JAX = "https://github.com/jax-ml/jax/blob/jax-v{}/jax"
_EQUINOX = "https://github.com/patrick-kidger/equinox/blob/v{}/equinox"
_FLAX = "https://github.com/google/flax/blob/v{}/flax"
_OPTAX = "https://github.com/google-deepmind/optax/blob/v{}/optax"
_SOURCES: Mapping[str, str] = {
    "jax": f"{_JAX}/__init__.py",
    "jax.numpy": f"{_JAX}/numpy/__init__.py",
    "jax.tree": f"{_JAX}/tree.py",
    "jax.tree_util": f"{_JAX}/tree_util.py",
    "equinox": f"{_EQUINOX}/__init__.py",
    "equinox.nn": f"{_EQUINOX}/nn/__init__.py",
    "flax": f"{_FLAX}/__init__.py",
    "flax.nnx": f"{_FLAX}/nnx/__init__.py",
    "flax.nnx.Dict": f"{_FLAX}/nnx/helpers.py",
    "flax.nnx.Rngs": f"{_FLAX}/nnx/rnglib.py",
    "flax.nnx.Sequential": f"{_FLAX}/nnx/helpers.py",
    "flax.nnx.Variable": f"{_FLAX}/nnx/variablelib.py",
    "optax": f"{_OPTAX}/__init__.py",
    "optax.contrib": f"{_OPTAX}/contrib/__init__.py",
    "optax.microbatching": f"{_OPTAX}/microbatching/__init__.py",
    "optax.tree_utils": f"{_OPTAX}/tree_utils/__init__.py",
}
# The top-level module of each name that recipe text uses for a library that may be missing.
_LIBRARIES = {"eqx": "equinox", "nnx": "flax", "flax": "flax", "optax": "optax", "chex": "chex"}
_DOTTED = re.compile(r"(?<![\w.])(?:jax|jnp|jtu|eqx|nnx|flax|optax|chex)(?:\.\w+)+")


@functools.cache
def _read() -> Mapping[str, Mapping[str, Any]]:
    return json.loads(FILE.read_text(encoding="utf-8"))


@functools.cache
def table() -> Mapping[str, str]:
    """Return the releases that have each name, as a specifier such as `">=0.12"`; `""`: all."""
    found: dict[str, str] = {}
    for read in _read().values():
        found |= {**dict.fromkeys(read["always"], ""), **read["sometimes"]}
    return found


@functools.cache
def since(name: str) -> Since | None:
    """Return the releases that have a name; `None` for one that no supported release has.

    Args:
        name: such as `"jax.tree.map"` or `"nnx.List"`; `"f(p)"` is the parameter `p` of `f`.
    """
    root, dot, rest = name.partition(".")
    whole = f"{ALIASES.get(root, root)}{dot}{rest}"
    specifier = table().get(whole)
    if specifier is None:
        return None
    parts = whole.partition("(")[0].split(".")
    first = re.match(r">=([^,]+)", specifier)
    release = first[1] if first else _read()[parts[0]]["releases"][0]
    homes = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    source = next(_SOURCES[home] for home in homes if home in _SOURCES).format(release)
    return Since(name, f"{parts[0]}{specifier}", source)


def has(name: str) -> bool:
    """Return whether the installed release has a name, as stated, whether it is there or not.

    Args:
        name: as for `since`.
    """
    found = since(name)
    return found is not None and not found.lacking()


def libraries_in(texts: Iterable[str]) -> list[str]:
    """Return the top-level modules of the libraries that recipe texts use, JAX aside."""
    return list(dict.fromkeys(_LIBRARIES[one] for one in _in(texts) if one in _LIBRARIES))


def lacking(texts: Iterable[str], needs: Iterable[Since] = ()) -> str:
    """Return why the installed releases lack what recipe texts use, or `""`.

    Args:
        texts: the texts.
        needs: features that they use beside the names in them.
    """
    stated = (found for name in _in(texts) if (found := since(name)) is not None)
    return next((why for one in (*stated, *needs) if (why := one.lacking())), "")


def _in(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for dotted in _DOTTED.findall(text):
            parts = dotted.split(".")
            yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
