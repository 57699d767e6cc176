"""Lifted transforms that change no result of a module."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import filter_of
from .calls import SEEDS, bind_args, option
from .modules import COLLECTIONS, FIXED, steps
from .targets import bind_call, built

_WRAPPERS = {
    "jit": ("variables", "rngs"),
    "remat": ("variables", "rngs", "prevent_cse", "policy"),
    "checkpoint": ("variables", "rngs", "prevent_cse", "policy"),
    "map_variables": ("variables", "rngs", "mapped"),
    "add_metadata_axis": ("axes",),
}
# Those that take `methods`.
_OF_METHODS = ("jit", "remat", "checkpoint", "map_variables")


@st.composite
def wrapped_modules(draw: st.DrawFn) -> Recipe:
    """Draw a transform that changes no result: `build(lift)` is the module under it.

    `plain` is the module without it, `variables`, `args` and `call` are as in `while_loops`.
    Features are `way:` with the transform.
    """
    scope = Scope()
    text = steps(draw, scope, FIXED)
    ways = [name for name in _WRAPPERS if name != "add_metadata_axis" or not _has_boxes(scope)]
    names = draw(st.lists(st.sampled_from(ways), min_size=1, max_size=2))
    extra = built(draw, scope, text, methods=set(names) <= set(_OF_METHODS))
    bind_args(draw, scope)
    lifted = "target"
    for name in names:
        scope.note(f"way:{name}")
        options = [text for one in _WRAPPERS[name] for text in _wrapper_option(draw, one)]
        lifted = f"flax.linen.{name}({', '.join([lifted, *options])}, **methods)"
    scope.bind("lifted", f"build(lambda target, **methods: {lifted})")
    scope.bind("seeds", SEEDS)
    scope.bind("variables", "plain.init(seeds, *args)")
    more = draw(st.sampled_from(("", ", 'more': flax_linen_numbers(())", ", 'more': [None]")))
    bind_call(draw, scope, more + extra)
    return scope.recipe()


def _has_boxes(scope: Scope) -> bool:
    """Return whether variables are in boxes, of which the metadata would have to fit."""
    return any(feature.startswith("box:") for feature in scope.features)


def _wrapper_option(draw: st.DrawFn, name: str) -> list[str]:
    if name == "variables":
        return option(draw, name, filter_of(draw, COLLECTIONS, ()))
    if name == "rngs":
        return option(draw, name, filter_of(draw, ("params", "noise"), ()))
    if name == "prevent_cse":
        return option(draw, name, "False")
    if name == "policy":
        return option(draw, name, "jax.checkpoint_policies.everything_saveable")
    if name == "axes":
        return ["variable_axes={'params': 0}", "metadata_params={'partition_name': 'stack'}"]
    held = draw(st.lists(st.sampled_from(COLLECTIONS), min_size=1, unique=True))
    others = [one for one in COLLECTIONS if one not in held]
    # Otherwise the collections become immutable.
    is_mutable = bool({"stats", "intermediates"} & set(held)) or draw(st.booleans())
    return [f"mapped_collections={filter_of(draw, held, others)}", f"mutable={is_mutable}"]
