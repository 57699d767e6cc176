"""Models of Equinox that are saved and loaded, and what they are loaded into."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.numbered import NUMBERED

from .layer_options import ANY, layer_calls
from .states import stateful_models
from .states_layers import stateful_layers
from .states_values import state_values

_LIKES = ("make()", "eqx.filter_eval_shape(make)", "jtu.tree_map(lambda leaf: leaf, tree)")


@st.composite
def carried_layers(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, layers of `eqx.nn` with any options, and `like`, a tree of the same structure.

    A `like` is what the same calls make, that of abstract arrays, or a copy of the tree.
    """
    scope = Scope()
    scope.define(NUMBERED)
    # The bound names of each call, such as `make`, get names of their own.
    makes = []
    for _ in range(draw(st.integers(1, 3))):
        made = draw(layer_calls(ANY))
        (text,) = (line for line in made.statements if line.startswith("make = "))
        scope.define(*made.definitions)
        scope.note(*made.features)
        makes.append(scope.bind("make_layer", text.removeprefix("make = ")))
    scope.bind("make", f"lambda: [{', '.join(f'{name}()' for name in makes)}]")
    scope.bind("tree", "numbered_arrays(make())")
    scope.bind("like", draw(st.sampled_from(_LIKES)))
    return scope.recipe()


# Files hold no random keys.
_VALUES = state_values().filter(lambda recipe: "leaf-is:key" not in recipe.features)
_LAYERS = stateful_layers(_VALUES, norms=True, uninitialised=False)


@st.composite
def carried_models(draw: st.DrawFn) -> Recipe:
    """Bind `tree`, a model with its state, and `like`, what the same calls make."""
    scope = Scope()
    scope.define(NUMBERED)
    scope.include(draw(stateful_models(_LAYERS)))
    scope.bind("tree", "numbered_arrays((model, state))")
    scope.bind("like", "eqx.nn.make_with_state(make)()")
    return scope.recipe()
