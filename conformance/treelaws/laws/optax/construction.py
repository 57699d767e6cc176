"""Optax: construction of states."""

from __future__ import annotations

from treelaws.core.law import Topic
from treelaws.equality import equal, true

from .._construction import EACH_KIND, constructions, documented_names, places, quietly

law = Topic("optax.construction", "Optax: construction of states", family="optax")


@law(
    "states of optimisers are built and trees of arrays reduced in every way that Optax documents;"
    " the same call gives leaves of the same types at the same key paths",
    source="https://optax.readthedocs.io/en/latest/api/utilities.html",
    needs={"adam"},
    case=constructions("optax"),
    weight=EACH_KIND,
)
def documented_states_can_be_built(lib, case):
    equal(places(case.build()), places(case.build()))


@law(
    "the public names of a release exist: those that laws and their inputs use",
    source="https://optax.readthedocs.io/en/latest/",
    case=documented_names,
)
def documented_names_exist(lib, case):
    """A law whose names the release lacks by `names.json` is skipped, so none may be missing."""
    true(quietly(case.find) is not None, None, "what the name stands for")
