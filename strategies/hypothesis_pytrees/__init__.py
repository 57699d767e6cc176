"""Hypothesis strategies for PyTrees: random trees, nodes registered in every way, eqx.Modules.

Strategies draw a `Recipe`, the source text that builds a value. `trees().map(Recipe.build)` draws
values.
"""

from hypothesis_pytrees.classes.layers import LAYERS
from hypothesis_pytrees.classes.modules import MODULES
from hypothesis_pytrees.core.availability import refusals, usable
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.core.contexts import contexts
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Namespace, Recipe, Scope
from hypothesis_pytrees.equinox.states import stateful_models
from hypothesis_pytrees.equinox.states_layers import stateful_layers
from hypothesis_pytrees.equinox.states_programs import state_programs
from hypothesis_pytrees.equinox.states_shared import shared_trees
from hypothesis_pytrees.leaves.leaves import (
    arrays,
    leaves,
    numpy_arrays,
    objects,
    real_arrays,
    scalars,
)
from hypothesis_pytrees.nnx.modules import NNX_LAYERS, NNX_MODULES, attributes, nnx_modules
from hypothesis_pytrees.nnx.states import NNX_STATES, nnx_states
from hypothesis_pytrees.nnx.variables import VARIABLE_TYPES, variables
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.optax.optimisations import optimisations
from hypothesis_pytrees.optax.params import parameters
from hypothesis_pytrees.trees.batching import batched, batches
from hypothesis_pytrees.trees.by_root import containers, modules, nodes
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.predicates import predicates
from hypothesis_pytrees.trees.replacements import edits
from hypothesis_pytrees.trees.selectors import selections
from hypothesis_pytrees.trees.specs import partitions
from hypothesis_pytrees.trees.structures import structure_pairs, structures
from hypothesis_pytrees.trees.trees import trees

from .from_type import register_types

__all__ = [
    "CONTAINERS",
    "LAYERS",
    "MODULES",
    "NNX_LAYERS",
    "NNX_MODULES",
    "NNX_STATES",
    "NODES",
    "VARIABLE_TYPES",
    "Kind",
    "Namespace",
    "Recipe",
    "Scope",
    "arrays",
    "attributes",
    "batched",
    "batches",
    "cases",
    "containers",
    "contexts",
    "edits",
    "leaves",
    "modules",
    "nnx_modules",
    "nnx_states",
    "nodes",
    "numpy_arrays",
    "objects",
    "optimisations",
    "parameters",
    "partitions",
    "predicates",
    "real_arrays",
    "refusals",
    "scalars",
    "selections",
    "shared_trees",
    "state_programs",
    "stateful_layers",
    "stateful_models",
    "structure_pairs",
    "structures",
    "trees",
    "usable",
    "variables",
]

register_types()
