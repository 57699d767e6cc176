"""Optax: states of optimisers that are stored, which another release may have written."""

from __future__ import annotations

import pickle

import jax.tree_util as jtu

from hypothesis_pytrees.optax.carried import carried_states
from treelaws.core.law import Topic
from treelaws.equality import same
from treelaws.laws._archive import archived, numbers, unarchived
from treelaws.laws._carried import carried

from ._inputs import DOCS

law = Topic("optax.carried", "Optax: states of another release", family="optax")
_STATE = f"{DOCS}optimizers.html#optax.OptState"


@law(
    "the stored leaves of a state are found by the key paths of a new state",
    source=_STATE,
    level="observed",
    case=carried_states(),
)
def states_are_found_by_their_paths(lib, case):
    written = carried(archived(jtu, case.state))
    same(unarchived(jtu, written, case.state), numbers(jtu.tree_leaves(case.state)))


@law(
    "a pickled and loaded state is the state",
    source="https://docs.python.org/3/library/pickle.html",
    level="observed",
    case=carried_states(saved=True),
)
def pickled_states_are_equal(lib, case):
    same(pickle.loads(carried(pickle.dumps(case.state))), case.state)
