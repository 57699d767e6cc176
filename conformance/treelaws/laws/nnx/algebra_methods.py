"""Flax NNX: methods of States that functions replace, and subclasses of `State`."""

from __future__ import annotations

import warnings

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import equal

from ._inputs import STATES, state_cases
from ._model import same_graph
from .algebra import law, merge_state_undoes_split_state

_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/statelib.py"
_SUBCLASS = """\
class NnxOwnState(nnx.State):
    pass
"""
# By name of a method: the name of the function, and its arguments from a State and filters.
_METHODS = {
    "split": ("split_state", lambda state, filters: (state, *filters)),
    "filter": ("filter_state", lambda state, filters: (state, filters[0])),
    "flat_state": ("to_flat_state", lambda state, filters: (state,)),
    "to_pure_dict": ("to_pure_dict", lambda state, filters: (state,)),
}


@st.composite
def _own_states(draw: st.DrawFn) -> Recipe:
    """Draw `state`, of a subclass of `State`, and `plain`, the State with the same items."""
    scope = Scope()
    scope.define(_SUBCLASS)
    scope.bind("plain", draw(STATES))
    scope.bind("state", "NnxOwnState(plain.raw_mapping)")
    return scope.recipe()


@law(
    "a method of a State that a function replaces does what the function does",
    source=f"{_CODE}#L304-L420",
    level="should",
    needs={"to_flat_state", "State"},
    case=state_cases(),
)
def replaced_methods_do_what_their_functions_do(lib, case):
    for method, (function, arguments) in _METHODS.items():
        args = arguments(case.state, case.filters)
        found = _quietly(getattr(case.state, method), *args[1:])
        same_graph(_listed(found), _listed(getattr(lib, function)(*args)))


@law(
    "`State.map`, `State.merge` and `State.from_flat_path` do what their functions do",
    source=f"{_CODE}#L304-L420",
    level="should",
    needs={"to_flat_state", "State"},
    case=state_cases(min_size=2),
    parents=[merge_state_undoes_split_state],
)
def replaced_constructors_do_what_their_functions_do(lib, case):
    keyed = lambda path, leaf: (len(path), leaf)
    parts = lib.split_state(case.state, *case.filters)
    same_graph(_quietly(case.state.map, keyed), lib.map_state(keyed, case.state))
    same_graph(_quietly(lib.State.merge, *parts), lib.merge_state(*parts))
    flat = lib.to_flat_state(case.state)
    same_graph(_quietly(lib.State.from_flat_path, flat), lib.from_flat_state(flat))


@law(
    "an instance of a subclass of `State` is a node of its own type, with the leaves of a State",
    source=f"{_CODE}#L437-L444",
    level="should",
    needs={"State", "subclasses_of_state_are_nodes"},
    case=_own_states(),
)
def a_subclass_of_state_is_a_node(lib, case):
    mapped = jtu.tree_map(lambda leaf: leaf, case.state)
    equal(type(mapped), type(case.state))
    same_graph(lib.State(mapped.raw_mapping), case.plain)
    equal(
        [path for path, _ in jtu.tree_flatten_with_path(case.state)[0]],
        [path for path, _ in jtu.tree_flatten_with_path(case.plain)[0]],
    )


def _quietly(call, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args)


def _listed(found):
    """Return the parts of what a method returns; a flat state is a sequence of pairs."""
    return list(found) if isinstance(found, tuple) or hasattr(found, "paths") else [found]
