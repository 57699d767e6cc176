"""The releases that have what recipe text uses: a kind is not drawn outside of them.

Whether a release has a function is read from its changelog and not tried: a function that is
there and raises an error has a bug, which a trial would take for a missing feature.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import platform

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


_JAX = "https://docs.jax.dev/en/latest/changelog.html"
_GRAPH = "https://github.com/google/flax/blob/v0.10.5/flax/nnx/graph.py"
_VARIABLES = "https://github.com/google/flax/blob/v{}/flax/nnx/variablelib.py"
# Features that the text of a kind does not name.
STATE_FUNCTIONS = Since(
    "functions in the place of the methods of nnx.State",
    "flax>=0.10.4",
    "https://github.com/google/flax/blob/v0.10.4/flax/nnx/statelib.py",
)
LORA_INITIALIZERS = Since(
    "nnx.LoRA(a_initializer=..., b_initializer=...)",
    "flax>=0.10.3",
    "https://github.com/google/flax/blob/v0.10.3/flax/nnx/nn/lora.py",
)
MODULES_ARE_NO_ABCS = Since(
    "an nnx.Module without the base abc.ABC, which may then stand before it",
    "flax>=0.10.3",
    "https://github.com/google/flax/blob/v0.10.3/flax/nnx/object.py",
)
RNGS_SPLIT = Since(
    "nnx.Rngs.split(k)",
    "flax>=0.12.6",
    "https://github.com/google/flax/blob/v0.12.6/flax/nnx/rnglib.py",
)
BATCH_NORM_MODES = Since(
    "eqx.nn.BatchNorm(mode=...)",
    "equinox>=0.13.0",
    "https://github.com/patrick-kidger/equinox/releases/tag/v0.13.0",
)
MLP_SCAN = Since(
    "eqx.nn.MLP(scan=...)",
    "equinox>=0.13.5",
    "https://github.com/patrick-kidger/equinox/pull/1182",
)
FIVE_UNSET_FIELDS = Since(
    "a Module that keeps its structure with five fields left at their defaults",
    "equinox<0.13.3",
    "https://github.com/patrick-kidger/equinox/blob/v0.13.3/equinox/_module/_flatten.py",
)
ONE_BATCH_NORM = Since("eqx.nn.BatchNorm without a mode", "equinox<0.13.0", BATCH_NORM_MODES.source)
# 0.13.3 and 0.13.4 make a leaf of a placeholder (finding `placeholders_are_leaves`) and then assign
# what replaces the leaf, which a property refuses: about a hundred laws would report that.
PROPERTY_FIELDS = Since(
    "a property in the place of a field of a Module",
    "equinox!=0.13.3,!=0.13.4",
    "https://github.com/patrick-kidger/equinox/blob/v0.13.5/equinox/_module/_flatten.py",
)
CHECKS_OFF = Since(
    "EQX_ON_ERROR=off",
    "equinox>=0.13.3",
    "https://github.com/patrick-kidger/equinox/pull/1134",
)
INFERRED_FIELDS = Since("jax.tree_util.register_dataclass without data_fields", "jax>=0.4.36", _JAX)
KEYS_ARGUMENT = Since(
    "jax.tree_util.register_pytree_node with flatten_with_keys_func",
    "jax>=0.4.36",
    "https://github.com/jax-ml/jax/blob/jax-v0.4.36/jax/_src/tree_util.py",
)
# 0.4.35 compares the aux data with the class in each walk by paths, also within `filter_jit`.
TREEDEF_OF_A_TUPLE = Since(
    "paths in a registered namedtuple whose aux data is a treedef",
    "jax>=0.4.36",
    "https://github.com/jax-ml/jax/blob/jax-v0.4.35/jax/_src/tree_util.py#L1155-L1157",
)
BARRIER_BATCHES = Since(
    "jax.lax.optimization_barrier under vmap",
    "jax>=0.4.38",
    "https://github.com/jax-ml/jax/blob/jax-v0.4.38/jax/_src/lax/lax.py",
)
BARRIER_DERIVATIVES = Since(
    "derivatives of jax.lax.optimization_barrier",
    "jax>=0.5.3",
    "https://github.com/jax-ml/jax/blob/jax-v0.5.3/jax/_src/lax/lax.py",
)
ARRAY_ATTRIBUTES = Since("a bare array as an attribute of an NNX module", "flax>=0.10.5", _GRAPH)
VARIABLE_RESULTS = Since(
    "a Variable outside of any module as a result of a transform", "flax>=0.10.5", _GRAPH
)
ACCURACY_THRESHOLD = Since(
    "nnx.metrics.Accuracy(threshold)",
    "flax>=0.10.4",
    "https://github.com/google/flax/blob/v0.10.4/flax/nnx/training/metrics.py",
)
LONE_VARIABLES = Since(
    "a Variable outside of any module as an argument",
    "flax>=0.11.2",
    "https://github.com/google/flax/pull/4606",
)
# From 0.12 on, a module rejects a list or dict with data that is not an nnx.List or nnx.Dict.
PLAIN_CONTAINERS = Since(
    "a plain list of data as an attribute of an NNX module",
    "flax<0.12.0",
    "https://github.com/google/flax/releases/tag/v0.12.0",
)
HOOK_LISTS = Since("get_value_hooks", "flax<0.10.3", _VARIABLES.format("0.10.2"))
HOOKS = Since("on_get_value as an argument", "flax>=0.10.3", _VARIABLES.format("0.10.3"))
VALUE_METHODS = Since("Variable.get_value", "flax>=0.12.1", _VARIABLES.format("0.12.1"))
GRAPH_OPTIONS = Since(
    "transforms without the graph protocol",
    "flax>=0.12.7",
    "https://github.com/google/flax/blob/v0.12.7/flax/nnx/transforms/compilation.py",
)
MANUAL_AXES = Since(
    "nnx.shard_map(axis_names, check_vma)",
    "flax>=0.12.1",
    "https://github.com/google/flax/blob/v0.12.1/flax/nnx/transforms/compilation.py",
)
SET_METADATA = Since("Variable.set_metadata", "flax>=0.12.0", _VARIABLES.format("0.12.0"))
ZOOM_GUESSES = Since(
    "optax.scale_by_zoom_linesearch(initial_guess_strategy)",
    "optax>=0.2.4",
    "https://github.com/google-deepmind/optax/blob/v0.2.4/optax/_src/linesearch.py",
)

# 0.11.2 ends the process in the compiler, and with it all laws of a run: see the finding
# `programs_with_an_empty_array_end_the_process`.
EMPTY_ON_DEVICES = Since(
    "an array without entries in a program over several devices",
    "jax!=0.11.2",
    "https://github.com/jax-ml/jax/blob/jax-v0.11.2/jax/_src/compiler.py",
)


@functools.cache
def _version(package: str) -> str | None:
    """Return the release that the installed version is or leads to, or `None`."""
    if package == "python":
        return platform.python_version()
    try:
        return Version(importlib.metadata.version(package)).base_version
    except importlib.metadata.PackageNotFoundError:
        return None
