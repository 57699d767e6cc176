"""Wrappers around a transformation that notes the extra arguments it gets."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .optimisations import WRAPPERS
from .params import GRADIENTS, draw_parameters, sources

_NOTES = """\
def notes_extra_arguments(seen, partial):
    def noted(seen, updates, state, params=None, **extra):
        seen.append(jtu.tree_map(jnp.result_type, extra))
        return updates, state

    def update(updates, state, params=None, **extra):
        return noted(seen, updates, state, params, **extra)

    update = functools.partial(noted, seen) if partial else update
    return optax.GradientTransformationExtraArgs(lambda params: optax.EmptyState(), update)
"""


def noting_wrappers() -> st.SearchStrategy[Recipe]:
    """Draw `tx`, one or two wrappers around what notes its extra arguments in the list `seen`.

    Also `extra`, the keyword arguments to give, `params` and `grads`.
    """
    return probe_first(sources, _noting_wrappers())


@st.composite
def _noting_wrappers(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope)
    scope.bind("grads", GRADIENTS)
    names = draw(st.lists(st.sampled_from(("value", "loss", "scale")), max_size=2, unique=True))
    scope.bind("extra", f"{{{', '.join(f'{name!r}: jnp.float32(2.0)' for name in names)}}}")
    scope.bind("seen", "[]")
    scope.define(_NOTES)
    text, inner = f"notes_extra_arguments(seen, {draw(st.booleans())})", ""
    if names:
        scope.note("extra:some")
    for wrapper, around in draw(st.lists(st.sampled_from(WRAPPERS), min_size=1, max_size=2)):
        scope.note(f"wrapper:{wrapper}")
        text = around.replace("$", text).replace("&", "")
        # Only this form of `MultiSteps` stands inside others.
        text += ".gradient_transformation()" * (wrapper == "MultiSteps")
        if inner == "MultiSteps":
            scope.note("wrapper:MultiSteps-inside")
        inner = wrapper
    scope.bind("tx", text)
    return scope.recipe()
