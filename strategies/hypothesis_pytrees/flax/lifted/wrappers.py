"""Lifted transforms that change no result of a module."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import filter_of
from .calls import SEEDS, bind_args, option
from .modules import COLLECTIONS, steps
from .targets import bind_call, built

_WRAPPERS = {
    "jit": ("variables", "rngs"),
    "remat": ("variables", "rngs", "prevent_cse", "policy"),
    "checkpoint": ("variables", "rngs", "prevent_cse", "policy"),
    "map_variables": ("variables", "rngs", "mapped"),
}


@st.composite
def wrapped_modules(draw: st.DrawFn) -> Recipe:
    """Draw a transform that changes no result: `build(lift)` is the module under it.

    `plain` is the module without it, `variables`, `args` and `call` are as in `while_loops`.
    Features are `way:` with the transform.
    """
    scope = Scope()
    text = steps(draw, scope)
    names = draw(st.lists(st.sampled_from(tuple(_WRAPPERS)), min_size=1, max_size=2))
    extra = built(draw, scope, text)
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


@st.composite
def named_modules(draw: st.DrawFn) -> Recipe:
    """Draw a module under `nn.add_metadata_axis`, with the names of `wrapped_modules`.

    `axis_of` are the axes of collections that get the name `stack`, or None for those that stay as
    they are; then a feature is `same:boxed` if one of these holds a box.
    """
    scope = Scope()
    text = steps(draw, scope)
    built(draw, scope, text, methods=False)
    bind_args(draw, scope)
    held = draw(st.lists(st.sampled_from(COLLECTIONS), min_size=1, unique=True))
    axis_of = {name: draw(st.sampled_from((0, 1, None))) for name in held}
    scope.bind("axis_of", repr(axis_of))
    for name, axis in axis_of.items():
        if axis is None and f"boxed:{name}" in scope.features:
            scope.note("same:boxed")
    # Keys take no collection of another key.
    keys = {
        name: filter_of(draw, [name], [one for one in COLLECTIONS if one != name]) for name in held
    }
    axes = ", ".join(f"{keys[name]}: {axis}" for name, axis in axis_of.items())
    options = f"variable_axes={{{axes}}}, metadata_params={{'partition_name': 'stack'}}"
    scope.bind("lifted", f"build(lambda target: flax.linen.add_metadata_axis(target, {options}))")
    scope.bind("seeds", SEEDS)
    scope.bind("variables", "plain.init(seeds, *args)")
    bind_call(draw, scope)
    return scope.recipe()


def _wrapper_option(draw: st.DrawFn, name: str) -> list[str]:
    if name == "variables":
        return option(draw, name, filter_of(draw, COLLECTIONS, ()))
    if name == "rngs":
        return option(draw, name, filter_of(draw, ("params", "noise"), ()))
    if name == "prevent_cse":
        return option(draw, name, "False")
    if name == "policy":
        return option(draw, name, "jax.checkpoint_policies.everything_saveable")
    held = draw(st.lists(st.sampled_from(COLLECTIONS), min_size=1, unique=True))
    others = [one for one in COLLECTIONS if one not in held]
    # Otherwise the collections become immutable.
    is_mutable = bool({"stats", "intermediates"} & set(held)) or draw(st.booleans())
    return [f"mapped_collections={filter_of(draw, held, others)}", f"mutable={is_mutable}"]
