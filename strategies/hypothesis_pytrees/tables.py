"""Every table of kinds that stand for something a library documents, by library."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence

from .core.availability import available
from .core.kinds import Kind

# By library: the modules of this package, and the tables of each.
TABLES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "jax": {
        "trees.containers": ["CONTAINERS"],
        "nodes.nodes": ["NODES"],
        "leaves.leaves": ["EVERY"],
        "leaves.dtypes": ["EVERY_DTYPE"],
        "core.signatures": ["ROWS"],
        "trees.calls.callback_levels": ["LEAVES"],
        "trees.calls.derivatives.ways": ["REAL"],
        "trees.calls.reference_programs": ["INTS"],
        "trees.meshes": ["FLOATS", "ARRAYS", "EMPTY", "ARRAY_LIKE", "ROWS", "STATIC", "KEYS"],
    },
    "equinox": {
        "classes.modules": ["MODULES"],
        "classes.layers": ["LAYERS"],
        "equinox.states_layers": [
            "LAYERS_WITH_STATE",
            "LAYERS_OF_ONE_INDEX",
            "LAYERS_IN_STATES",
            "BATCH_NORMS",
            "BATCH_NORMS_WITHOUT_MODE",
            "OTHER_NORMS",
        ],
        "equinox.states_nodes": ["INDICES", "STATES"],
    },
    "flax": {
        "flax.structs": ["FLAX_STRUCTS"],
        "flax.frozen": ["FROZEN_DICTS"],
        "flax.states": ["EVERY_SAVED_LEAF", "ODD"],
        "flax.cursor.nodes": ["NODES", "NAMED_ALIKE", "ODD", "VALUES"],
    },
    "chex": {"flax.chex_dataclasses": ["CHEX_DATACLASSES"]},
    "nnx": {
        "nnx.modules": ["NNX_MODULES", "NNX_LAYERS", "NNX_CONTAINERS", "NNX_CYCLES"],
        "nnx.carried": ["STORED"],
        "nnx.objects": ["NNX_OBJECTS", "NNX_SEQUENCES"],
        "nnx.states": ["NNX_STATES", "NNX_MAPPINGS"],
        "nnx.rngs": ["RNGS"],
        "nnx.nodes": [
            "NNX_MODULE_NODES",
            "NNX_LIST_NODES",
            "NNX_DICT_NODES",
            "NNX_VARIABLE_NODES",
            "NNX_STATE_NODES",
            "NNX_GRAPHDEF_NODES",
            "NNX_LAYER_NODES",
        ],
    },
    "optax": {
        "optax.states": ["REAL_STATES", "NODES_OF_STATES"],
        "optax.params": ["STATES"],
        "optax.trees": ["REDUCTIONS"],
        "cross_library": ["OPTAX_NODES"],
    },
}


def stated(library: str) -> tuple[Kind, ...]:
    """Return the kinds of a library, whether the installed release has them or not.

    Args:
        library: one of `TABLES`.
    """
    found: dict[Kind, None] = {}
    for module, names in TABLES[library].items():
        held = importlib.import_module(f"{__package__}.{module}")
        for name in names:
            found.update(dict.fromkeys(getattr(held, name)))
    return tuple(found)


def documented(library: str) -> tuple[Kind, ...]:
    """Return the kinds of a library that the installed release documents.

    Args:
        library: one of `TABLES`.
    """
    return available(stated(library))
