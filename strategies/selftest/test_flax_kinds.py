"""Flax and Chex kinds: each builds, its printed source rebuilds it, and trees reach every one."""

from __future__ import annotations

from typing import Any

import jax.tree_util as jtu
import pytest
from hypothesis import settings
from test_kinds import execute, outline, recipe
from test_trees import FIXED, collect, smallest

from hypothesis_pytrees import CONTAINERS, Kind, trees
from hypothesis_pytrees.core.availability import absence, refusals, usable
from hypothesis_pytrees.flax.chex_dataclasses import CHEX_DATACLASSES
from hypothesis_pytrees.flax.frozen import FROZEN_DICTS
from hypothesis_pytrees.flax.states import EVERY_SAVED_LEAF, ODD, PACKED, SAVED, saved_trees
from hypothesis_pytrees.flax.structs import FLAX_STRUCTS
from hypothesis_pytrees.trees.trees import every_kind

FEWER = settings(FIXED, max_examples=800)
MANY = settings(FIXED, max_examples=3000)
ABSENT = {name: absence(name) for name in ("flax", "chex", "optax")}
TABLES: dict[str, tuple[str, tuple[Kind, ...]]] = {
    "structs": ("flax", FLAX_STRUCTS),
    "frozen": ("flax", FROZEN_DICTS),
    "odd": ("flax", tuple(kind for kind in ODD if kind.name != "optax-state")),
    "optax": ("optax", tuple(kind for kind in ODD if kind.name == "optax-state")),
    "chex": ("chex", CHEX_DATACLASSES),
}
# Releases before 0.12.6 lose the parameters of a class that is generic behind PyTreeNode.
NEWER = frozenset({"struct:subscripted", "struct:generic-concrete"})
needs_flax = pytest.mark.skipif(bool(ABSENT["flax"]), reason=ABSENT["flax"] or "flax is here")


def parameters() -> list[Any]:
    """Every usable kind of every table whose library is here."""
    return [
        pytest.param(kind, id=f"{table}-{index}")
        for table, (library, kinds) in TABLES.items()
        if not ABSENT[library]
        for index, kind in enumerate(kinds)
        if kind in usable(kinds)
    ]


@pytest.mark.parametrize("kind", parameters())
def test_source_rebuilds_build(kind: Kind) -> None:
    built = recipe(kind).build()
    assert outline(execute(recipe(kind).source())) == outline(built)
    assert outline(recipe(kind).build()) == outline(built)


@pytest.mark.parametrize("kind", parameters())
def test_kind_is_a_node(kind: Kind) -> None:
    tree = recipe(kind).build()
    assert not jtu.all_leaves([tree])


@needs_flax
def test_only_newer_classes_are_refused() -> None:
    refused = refusals((*FLAX_STRUCTS, *FROZEN_DICTS))
    assert all(NEWER & set(kind.features) for kind in refused), refused


@pytest.mark.sweep
@needs_flax
@pytest.mark.parametrize("kinds", [FLAX_STRUCTS, FROZEN_DICTS], ids=["structs", "frozen"])
def test_trees_reach_every_feature(kinds: tuple[Kind, ...]) -> None:
    seen = collect(trees(roots=kinds, kinds=(*CONTAINERS, *kinds)), MANY)
    wanted = {feature for kind in usable(kinds) for feature in kind.features}
    assert sorted(wanted - set(seen)) == []


@needs_flax
def test_saved_trees_reach_every_kind() -> None:
    seen = collect(saved_trees(max_leaves=3), FEWER)
    assert sorted({kind.name for kind in usable(SAVED)} - set(seen)) == []


@pytest.mark.sweep
def test_packed_trees_reach_every_leaf() -> None:
    from hypothesis_pytrees.leaves.leaves import pool

    # The rarest leaf comes up some ten times in 3,000 trees.
    many = settings(FIXED, max_examples=6000)
    seen = collect(saved_trees(pool(EVERY_SAVED_LEAF), kinds=PACKED, roots=PACKED), many)
    assert sorted({kind.features[0] for kind in EVERY_SAVED_LEAF} - set(seen)) == []


@needs_flax
def test_structs_shrink_to_the_plainest() -> None:
    small = smallest(trees(roots=FLAX_STRUCTS, kinds=CONTAINERS), lambda drawn: True)
    written = ("FxPair(", "FxStatic(", "FxApply(", "FxNode(", "FxOptions(", "FxEmpty(")
    assert small.expression.startswith(written)


def test_no_tree_holds_flax_unasked() -> None:
    """A run of the Equinox laws must not import Flax."""
    names = {"flax-struct", "FrozenDict", "chex-dataclass"}
    assert not names & {kind.name for kind in every_kind()}
