"""Deprecated calls of Flax NNX, each beside the call that its warning names."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import RNGS_SPLIT, STATE_FUNCTIONS, Since
from hypothesis_pytrees.nnx.filters import filter_lists
from hypothesis_pytrees.nnx.modules import nnx_modules
from hypothesis_pytrees.nnx.rngs import random_streams
from hypothesis_pytrees.nnx.states import nnx_states
from hypothesis_pytrees.nnx.variables import variables

# What a State maps its values to, by path and value.
_MAPPINGS = (
    "lambda path, value: value",
    "lambda path, value: len(path)",
    "lambda path, value: (path[-1], value)",
    "lambda path, value: None",
)


def _pair(name: str, old: str, new: str, *needs: Since) -> Kind:
    text = f"(lambda: {old}, lambda: {new})"
    return Kind("renamed", text, (), (f"renamed:{name}",), needs=needs)


_OF_STATES: Sequence[Kind] = (
    _pair("map", "state.map(given)", "nnx.map_state(given, state)"),
    _pair("flat-state", "[*state.flat_state()]", "[*nnx.to_flat_state(state)]"),
    _pair(
        "from-flat-path",
        "nnx.State.from_flat_path(nnx.to_flat_state(state))",
        "nnx.from_flat_state(nnx.to_flat_state(state))",
    ),
    _pair("to-pure-dict", "state.to_pure_dict()", "nnx.to_pure_dict(state)"),
    _pair(
        "replace-by-pure-dict",
        "(state.replace_by_pure_dict(nnx.to_pure_dict(state)), state)",
        "(nnx.replace_by_pure_dict(state, nnx.to_pure_dict(state)), state)",
    ),
    _pair("split", "state.split(*filters)", "nnx.split_state(state, *filters)"),
    _pair("filter", "state.filter(*filters)", "nnx.filter_state(state, *filters)"),
    _pair("merge", "nnx.State.merge(state, other)", "nnx.merge_state(state, other)"),
    # No release has the name, which is not written as one, since it would be left out then.
    _pair("difference", "state - other", "getattr(nnx, 'diff')(state, other)", STATE_FUNCTIONS),
)
_OF_MODULES: Sequence[Kind] = (
    _pair("iter-modules", "[*module.iter_modules()]", "[*nnx.iter_modules(module)]"),
    _pair("iter-children", "[*module.iter_children()]", "[*nnx.iter_children(module)]"),
    _pair("pure", "nnx.pure(module)", "nnx.as_pure(module)"),
    _pair("vars-as", "nnx.vars_as(module)", "nnx.with_vars(module)"),
    _pair(
        "abstract-with-sharding", "nnx.abstract_with_sharding(module)", "nnx.as_abstract(module)"
    ),
)
_OF_RNGS: Sequence[Kind] = (
    _pair("fork", "(rngs.fork(split=2), rngs)", "(rngs.split(2), rngs)", RNGS_SPLIT),
    _pair(
        "fork-in-axes",
        "(rngs.fork(split=(2, 1)), rngs)",
        "(rngs.split((2, 1)), rngs)",
        RNGS_SPLIT,
    ),
)


# Classes that are no `nnx.Module`, which alone has the methods.
_NO_MODULES = frozenset({"nnx:pytree", "nnx:object", "nnx:data"})


def _of_modules(recipe: Recipe) -> bool:
    return not _NO_MODULES & recipe.features


@st.composite
def renamed_calls(draw: st.DrawFn) -> Recipe:
    """Bind `old` and `new`, functions without arguments, and what they read.

    That is a `state`, another one, `filters` and a mapping `given`; a `module`; or `rngs`.
    """
    scope = Scope()
    tables = [kinds for kinds in map(available, (_OF_STATES, _OF_MODULES, _OF_RNGS)) if kinds]
    kinds = tables[draw(st.integers(0, len(tables) - 1))]
    kind = draw(st.sampled_from(kinds))
    if kind in _OF_STATES:
        scope.bind("state", draw(nnx_states()))
        scope.bind("other", draw(nnx_states(variables(), max_leaves=2)))
        scope.bind("given", draw(st.sampled_from(_MAPPINGS)))
        scope.include(draw(filter_lists()))
    elif kind in _OF_MODULES:
        scope.bind("module", draw(nnx_modules().filter(_of_modules)))
    else:
        scope.include(draw(random_streams()))
    scope.note(*kind.features)
    scope.statement(f"old, new = {kind.template}")
    return scope.recipe()
