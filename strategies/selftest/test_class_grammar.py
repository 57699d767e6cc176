"""Grammars of classes: pairs of traits meet, classes build, and they shrink."""

from __future__ import annotations

import itertools
from importlib.metadata import version

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings, strategies as st
from packaging.requirements import Requirement

from hypothesis_pytrees import Recipe, modules, nnx_modules
from hypothesis_pytrees.classes.grammar.chex_dataclasses import CHEX_CLASSES
from hypothesis_pytrees.classes.grammar.modules import MODULE_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_modules import NNX_CLASSES
from hypothesis_pytrees.classes.grammar.nnx_variables import NNX_VARIABLE_CLASSES
from hypothesis_pytrees.classes.grammar.pool import Grammar
from hypothesis_pytrees.classes.grammar.registered_dataclasses import REGISTERED_CLASSES
from hypothesis_pytrees.classes.grammar.shapes import Placed
from hypothesis_pytrees.classes.grammar.structs import STRUCT_CLASSES
from hypothesis_pytrees.classes.grammar.traits import fit
from hypothesis_pytrees.classes.grammar.writing import Grown, write
from hypothesis_pytrees.core.availability import lacking
from hypothesis_pytrees.nodes.node_classes import NODE_CLASSES
from hypothesis_pytrees.trees import trees as drawn_trees

_SEEDS = ("", "1", "2")
_NAMED = {
    "eqx": MODULE_CLASSES,
    "nnx": NNX_CLASSES,
    "variable": NNX_VARIABLE_CLASSES,
    "struct": STRUCT_CLASSES,
    "chex": CHEX_CLASSES,
    "register_dataclass": REGISTERED_CLASSES,
    "node": NODE_CLASSES,
}
_GRAMMARS = pytest.mark.parametrize("grammar", _NAMED.values(), ids=_NAMED)

# What traits say that they do not stand beside.
_RULES = {
    *("__init__", "__eq__", "__hash__", "__slots__", "cached-property", "identity-eq", "plain"),
    # Of registered nodes: what a trait cannot do without, or how a child is reached.
    *("no-children", "slots", "namedtuple-subclass", "GetAttrKey", "SequenceKey", "DictKey"),
    # Of JAX 0.4.35.
    "aux-treedef",
}


# What releases refuse by a known finding: releases, a feature, and one of these beside it.
_REFUSED = {
    "drop_fields_are_data_without_lists": (
        "jax<0.11.1",
        "node:inferred-fields",
        {"node:drop-fields", "node:init-false"},
    ),
    "an_abc_before_module_cannot_be_built": (
        "equinox<0.13",
        "module:abc-first",
        {"module:abc-first"},
    ),
    "drop_fields_removes_letters": ("jax<0.10", "node:listed-fields", {"node:drop-fields"}),
    "pytree_node_before_generic_loses_parameters": (
        "flax<0.12.6",
        "struct:base-class",
        {"struct:generic-last", "struct:generic-concrete"},
    ),
}


def _is_refused(kind: Grown) -> bool:
    """Return whether the installed releases may refuse a class by a known finding."""
    for releases, feature, beside in _REFUSED.values():
        wanted, features = Requirement(releases), {*kind.features}
        if version(wanted.name) in wanted.specifier and feature in features and beside & features:
            return True
    return False


def _built(kind: Grown) -> object:
    return Recipe(kind.definitions, (), kind.text(["1.0"] * kind.arity)).build()


@_GRAMMARS
@pytest.mark.parametrize("seed", _SEEDS)
def test_each_pair_of_traits_meets(grammar: Grammar, seed: str):
    named = {trait.name: trait for trait in grammar.traits}
    fitting = {pair for pair in itertools.combinations(named, 2) if fit([named[n] for n in pair])}
    met: set[tuple[str, ...]] = set()
    for kind in grammar.together(seed):
        names = [one.trait.name for one in kind.placed]
        met.update(pair for pair in itertools.permutations(names, 2) if pair in fitting)
    assert met == fitting


@_GRAMMARS
def test_what_does_not_fit_has_a_rule(grammar: Grammar):
    """Two traits exclude each other only by what both claim, or by a rule of the library."""
    apart = [pair for pair in itertools.combinations(grammar.traits, 2) if not fit(pair)]
    for one, other in apart:
        same_claim = one.name == other.name or one.claims & other.claims
        clash = one.clashes & other.has or other.clashes & one.has
        assert same_claim or (clash and clash <= _RULES), (one, other)


@_GRAMMARS
def test_seeds_give_other_classes(grammar: Grammar):
    zero, one = ({kind.template for kind in grammar.together(seed)} for seed in ("0", "1"))
    assert len(zero & one) < len(zero) / 10
    assert {kind.template for kind in grammar.together("1")} == one


@pytest.mark.sweep
@_GRAMMARS
@pytest.mark.parametrize("seed", _SEEDS)
def test_classes_build(grammar: Grammar, seed: str):
    for kind in (*grammar.alone(), *grammar.together(seed)):
        if not lacking(kind) and not _is_refused(kind):
            assert type(_built(kind)).__name__ in kind.template


@pytest.mark.sweep
@_GRAMMARS
@pytest.mark.parametrize("index", range(3))
def test_any_part_of_a_class_builds(grammar: Grammar, index: int):
    building = (one for one in grammar.together("") if not lacking(one) and not _is_refused(one))
    kind = next(itertools.islice(building, index, None))
    assert kind.part([True] * kind.parts) is kind
    for kept in itertools.product((False, True), repeat=kind.parts):
        if 2 < sum(kept) < kind.parts - 2:
            continue
        part = kind.part(kept)
        # Some traits of registered nodes stay in any part.
        assert len(part.placed) == sum(kept[:-1]) + len(kind.placed) + 1 - kind.parts
        if not _is_refused(part):
            _built(part)


def _found(*features: str) -> set[str]:
    """Return the features of the smallest module that has all of these."""
    wanted = {f"module:{one}" for one in features}
    recipe = find(
        modules(max_leaves=2),
        lambda recipe: wanted <= recipe.features,
        settings=settings(
            max_examples=20_000,
            phases=[Phase.generate, Phase.shrink],
            database=None,
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        ),
    )
    return {name for name in recipe.features if name.startswith("module:")}


@pytest.mark.sweep
@pytest.mark.parametrize(
    "names",
    [
        ("converter-array",),
        ("mangled-name",),
        ("converter-array", "falsy"),
        ("own-new", "metadata"),
        ("static-metadata", "abc-last"),
    ],
)
def test_a_class_shrinks_to_what_is_asked_of_it(names: tuple[str, ...]):
    traits = [one for one in MODULE_CLASSES.traits if one.name in names]
    wanted = {f"module:{feature}" for one in traits for feature in one.features.split()}
    # A small class around it may stay. Whole classes have a dozen features.
    assert len(_found(*names) - wanted) <= 6


def test_a_trait_that_passes_a_child_takes_one():
    trait = next(one for one in MODULE_CLASSES.traits if one.passed.count("$") == 1)
    assert write(MODULE_CLASSES.style, "single", (Placed(trait, 0),)).arity == 2


def test_a_part_of_a_node_is_registered_alike():
    """Laws about one way of registration draw its nodes by the name of their kind."""
    for kind in NODE_CLASSES.together(""):
        part = kind.part([False] * kind.parts)
        assert part.name == kind.name


def test_nodes_are_registered_in_every_way():
    names = {kind.name for kind in NODE_CLASSES.together("")}
    assert names == {
        "register_pytree_node",
        "register_pytree_node_class",
        "register_pytree_with_keys",
        "register_pytree_with_keys_class",
    }


def test_a_root_keeps_the_feature_of_all_roots(monkeypatch: pytest.MonkeyPatch) -> None:
    tied = tuple(kind for kind in NNX_CLASSES.of_run() if "nnx:tied" in kind.features)
    # Half of the traits get lost, not one of 256.
    few = st.integers(drawn_trees._LEFT_OUT, drawn_trees._LEFT_OUT + 1)
    monkeypatch.setattr(drawn_trees, "_KEPT", few)

    @given(nnx_modules(roots=tied, max_leaves=1))
    @settings(max_examples=50, derandomize=True, database=None, deadline=None)
    def kept(recipe: Recipe) -> None:
        assert "nnx:tied" in recipe.features

    kept()
