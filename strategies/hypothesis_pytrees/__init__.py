"""Hypothesis strategies for PyTrees: random trees, nodes registered in every way, eqx.Modules.

What a strategy draws is a `Recipe`: source text that builds the value. `trees().map(Recipe.build)`
draws values.
"""

from .batching import batched, batches
from .cases import cases
from .containers import CONTAINERS
from .contexts import contexts
from .kinds import Kind
from .layers import LAYERS
from .leaves import arrays, leaves, numpy_arrays, objects, real_arrays, scalars
from .modules import MODULES
from .nnx_modules import NNX_LAYERS, NNX_MODULES, attributes, nnx_modules
from .nnx_states import NNX_STATES, nnx_states
from .nnx_variables import VARIABLE_TYPES, variables
from .nodes import NODES
from .optax_params import parameters
from .optimisations import optimisations
from .predicates import predicates
from .recipe import Namespace, Recipe, Scope
from .replacements import edits
from .rooted import containers, modules, nodes
from .selectors import selections
from .specs import partitions
from .states import stateful_models
from .states_layers import stateful_layers
from .states_programs import state_programs
from .states_shared import shared_trees
from .structures import structure_pairs, structures
from .trees import trees
from .types import register_types
from .usable import refusals, usable

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
