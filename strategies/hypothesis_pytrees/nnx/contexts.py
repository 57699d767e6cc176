"""Settings of Flax NNX that hold within a block or a decorated function, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

# Each gives the context and a function that reads the setting.
SETTINGS: Sequence[Kind] = (
    Kind("setting", "(nnx.use_eager_sharding, nnx.using_eager_sharding)", (), ("set:sharding",)),
    Kind("setting", "(nnx.set_graph_mode, nnx.set_graph_mode.current_value)", (), ("set:mode",)),
    Kind(
        "setting",
        "(nnx.set_graph_updates, nnx.set_graph_updates.current_value)",
        (),
        ("set:updates",),
    ),
)
FORMS = ("block", "block with an error", "function", "function with an error")


@st.composite
def nested_settings(draw: st.DrawFn) -> Recipe:
    """Draw `setting` and `current`, which reads it, and `levels`: pairs of a form and a value."""
    scope = Scope()
    kind = draw(st.sampled_from(available(SETTINGS)))
    scope.note(*kind.features)
    scope.bind("setting", f"{kind.template}[0]")
    scope.bind("current", f"{kind.template}[1]")
    level = st.tuples(st.sampled_from(FORMS), st.booleans())
    levels = draw(st.lists(level, min_size=1, max_size=4))
    scope.note(*(f"form:{form.partition(' ')[0]}" for form, _ in levels))
    scope.bind("levels", repr(levels))
    return scope.recipe()
