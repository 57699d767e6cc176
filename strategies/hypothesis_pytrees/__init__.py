"""Hypothesis strategies for PyTrees: random trees, nodes registered in every way, eqx.Modules.

What a strategy draws is a `Recipe`: source text that builds the value. `trees().map(Recipe.build)`
draws values.
"""

from .containers import CONTAINERS
from .kinds import Kind
from .leaves import arrays, leaves, numpy_arrays, objects, real_arrays, scalars
from .recipe import Namespace, Recipe, Scope
from .trees import trees

__all__ = [
    "CONTAINERS",
    "Kind",
    "Namespace",
    "Recipe",
    "Scope",
    "arrays",
    "leaves",
    "numpy_arrays",
    "objects",
    "real_arrays",
    "scalars",
    "trees",
]
