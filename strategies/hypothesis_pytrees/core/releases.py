"""The releases that have what recipe text uses: a kind is not drawn outside of them.

Whether a release has a function is read from its changelog and not tried: a function that is
there and raises an error has a bug, which a trial would take for a missing feature.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import re
from collections.abc import Iterable, Iterator, Mapping

from packaging.requirements import Requirement
from packaging.version import Version


@dataclasses.dataclass(frozen=True)
class Since:
    """The releases of a library that have a feature.

    Args:
        feature: what other releases lack.
        requirement: the releases, for example `"flax>=0.12"`.
        source: link to the document that says so.
    """

    feature: str
    requirement: str
    source: str

    def lacking(self) -> str:
        """Return why the installed release lacks the feature, or `""`."""
        wanted = Requirement(self.requirement)
        found = _version(wanted.name)
        if found is None or found in wanted.specifier:
            return ""
        return f"{self.feature} needs {self.requirement}; {wanted.name} {found} is installed"


# No changelog lists all names: the file that first exports one is the source.
_NNX = "https://github.com/google/flax/blob/v{}/flax/nnx/__init__.py"
_OPTAX = "https://github.com/google-deepmind/optax/blob/v{}/optax/tree_utils/__init__.py"
_JAX = "https://docs.jax.dev/en/latest/changelog.html"
_GRAPH = "https://github.com/google/flax/blob/v0.10.5/flax/nnx/graph.py"
_VARIABLES = "https://github.com/google/flax/blob/v{}/flax/nnx/variablelib.py"
_FIRST = (
    ("flax", "nnx", _NNX, "0.10.4", "to_flat_state"),
    ("flax", "nnx", _NNX, "0.11.0", "data ModelAndOptimizer"),
    ("flax", "nnx", _NNX, "0.11.1", "Pytree"),
    ("flax", "nnx", _NNX, "0.12.0", "List static InstanceNorm PReLU"),
    ("flax", "nnx", _NNX, "0.12.1", "dataclass SpectralNorm WeightNorm"),
    ("flax", "nnx", _NNX, "0.12.7", "unpack"),
    ("flax", "nnx", _NNX, "0.12.8", "EMA"),
    ("flax", "nnx", _NNX, "0.12.9", "RoPE"),
    ("optax", "optax.tree_utils", _OPTAX, "0.2.4", "tree_linf_norm tree_max"),
    ("optax", "optax.tree_utils", _OPTAX, "0.2.5", "tree_norm"),
    ("optax", "optax.tree_utils", _OPTAX, "0.2.6", "tree_min tree_size tree_allclose"),
)
# By the name that recipe text uses.
NAMES: Mapping[str, Since] = {
    **{
        f"{module}.{name}": Since(f"{module}.{name}", f"{package}>={first}", source.format(first))
        for package, module, source, first, names in _FIRST
        for name in names.split()
    },
    "jax.tree.static": Since("jax.tree.static", "jax>=0.9.1", _JAX),
    # Gone for two releases.
    "nnx.Dict": Since("nnx.Dict", "flax!=0.11.*", _NNX.format("0.11.0")),
}
# Features that the text of a kind does not name.
BATCH_NORM_MODES = Since(
    "eqx.nn.BatchNorm(mode=...)",
    "equinox>=0.13.0",
    "https://github.com/patrick-kidger/equinox/releases/tag/v0.13.0",
)
ONE_BATCH_NORM = Since("eqx.nn.BatchNorm without a mode", "equinox<0.13.0", BATCH_NORM_MODES.source)
INFERRED_FIELDS = Since("jax.tree_util.register_dataclass without data_fields", "jax>=0.4.36", _JAX)
ARRAY_ATTRIBUTES = Since("a bare array as an attribute of an NNX module", "flax>=0.10.5", _GRAPH)
# From 0.12 on, a module rejects a list or dict with data that is not an nnx.List or nnx.Dict.
PLAIN_CONTAINERS = Since(
    "a plain list of data as an attribute of an NNX module",
    "flax<0.12.0",
    "https://github.com/google/flax/releases/tag/v0.12.0",
)
HOOK_LISTS = Since("get_value_hooks", "flax<0.10.3", _VARIABLES.format("0.10.2"))
HOOKS = Since("on_get_value as an argument", "flax>=0.10.3", _VARIABLES.format("0.10.3"))
VALUE_METHODS = Since("Variable.get_value", "flax>=0.12.1", _VARIABLES.format("0.12.1"))
SET_METADATA = Since("Variable.set_metadata", "flax>=0.12.0", _VARIABLES.format("0.12.0"))


# The top-level module of each name that recipe text uses for a library that may be missing.
_LIBRARIES = {"eqx": "equinox", "nnx": "flax", "flax": "flax", "optax": "optax", "chex": "chex"}
_DOTTED = re.compile(r"(?<![\w.])(?:jax|jtu|eqx|nnx|flax|optax|chex)(?:\.\w+)+")


def libraries_in(texts: Iterable[str]) -> list[str]:
    """Return the top-level modules of the libraries that recipe texts use, JAX aside."""
    return list(dict.fromkeys(_LIBRARIES[one] for one in _names(texts) if one in _LIBRARIES))


def lacking(texts: Iterable[str], needs: Iterable[Since] = ()) -> str:
    """Return why the installed releases lack what recipe texts use, or `""`.

    Args:
        texts: the texts.
        needs: features that they use beside the names of `NAMES`.
    """
    wanted = [*(NAMES[name] for name in _names(texts) if name in NAMES), *needs]
    return next((why for one in wanted if (why := one.lacking())), "")


def _names(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for dotted in _DOTTED.findall(text):
            parts = dotted.split(".")
            yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


@functools.cache
def _version(package: str) -> str | None:
    """Return the release that the installed version is or leads to, or `None`."""
    try:
        return Version(importlib.metadata.version(package)).base_version
    except importlib.metadata.PackageNotFoundError:
        return None
