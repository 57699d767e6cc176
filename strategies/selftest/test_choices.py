"""What is drawn from a tree fits the tree: prefixes, predicates, selectors, replacements, axes."""

from __future__ import annotations

import collections
from typing import Any

import jax
import jax.tree_util as jtu
import pytest
from drawn import shrinks
from hypothesis import HealthCheck, Phase, find, given, settings, strategies as st
from hypothesis.errors import UnsatisfiedAssumption

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.trees.batching import batches
from hypothesis_pytrees.trees.positions import bind_tree, names_of, positions_of
from hypothesis_pytrees.trees.predicates import predicates
from hypothesis_pytrees.trees.replacements import edits
from hypothesis_pytrees.trees.selectors import Where, draw_selection, selections
from hypothesis_pytrees.trees.specs import partitions
from hypothesis_pytrees.trees.trees import trees

FEW = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
DRAW_ONLY = settings(FEW, max_examples=400, phases=[Phase.generate])
FIND = settings(FEW, max_examples=3000)

KEYLESS = """\
class Keyless:
    def __init__(self, child):
        self.hidden = [child]

jtu.register_pytree_node(
    Keyless, lambda node: (node.hidden, None), lambda _, children: Keyless(*children)
)
"""
ODD_KEYS = """\
class OddKeys:
    def __init__(self, left, right):
        self.left, self.right = left, right

jtu.register_pytree_with_keys(
    OddKeys,
    lambda node: ((('own key', node.left), (jtu.GetAttrKey('absent'), node.right)), None),
    lambda _, children: OddKeys(*children),
)
"""
AWKWARD = (
    Kind("keyless", "Keyless($0)", (KEYLESS,)),
    Kind("odd-keys", "OddKeys($0, $1)", (ODD_KEYS,)),
    Kind("list", "[$0, $1]"),
    Kind("dict", "{'a b': $0, 'c': $1}"),
)
NOT_A_PREFIX = {"node:typed-children"}


@st.composite
def selectors(draw: st.DrawFn, source: Any = None, **options: Any) -> tuple[Where, dict[str, Any]]:
    """Draw a selector with the places that it means, and the names in which both live."""
    scope = Scope()
    where = draw_selection(draw, scope, bind_tree(draw, scope, source), **options)
    return where, names_of(scope)


def identity(node: Any) -> tuple[Any, ...]:
    """Tell nodes apart where a parent hands out a fresh container on each flatten."""
    return type(node), *map(id, jtu.tree_leaves(node, is_leaf=lambda x: x is None))


def selected(where: Where, names: dict[str, Any]) -> list[Any]:
    found = names[where.name](names["tree"])
    return list(found) if where.form else [found]


@FEW
@given(partitions())
def test_a_spec_is_a_prefix_and_its_callables_answer_for_every_leaf(recipe: Recipe) -> None:
    names = recipe.run()
    spec, tree, is_leaf = names["spec"], names["tree"], names["is_leaf"]
    for leaf, subtree in zip(
        jtu.tree_leaves(spec), jtu.tree_structure(spec).flatten_up_to(tree), strict=True
    ):
        assert callable(leaf) or type(leaf) is bool
        for inner in [None, [], *jtu.tree_leaves(subtree, is_leaf=is_leaf)]:
            assert not callable(leaf) or isinstance(leaf(inner), bool)


@FEW
@given(partitions())
def test_no_spec_leaf_stands_inside_a_node_that_is_leaf_accepts(recipe: Recipe) -> None:
    names = recipe.run()
    if names["is_leaf"] is not None and not NOT_A_PREFIX & recipe.features:
        cut = jtu.tree_map(lambda _: 0, names["tree"], is_leaf=names["is_leaf"])
        jtu.tree_structure(names["spec"]).flatten_up_to(cut)


@FEW
@given(partitions(equinox=False))
def test_without_equinox_no_spec_mentions_it(recipe: Recipe) -> None:
    chosen = jtu.tree_leaves(recipe.run()["spec"])
    assert not any(getattr(leaf, "__module__", "").startswith("equinox") for leaf in chosen)


@FEW
@given(partitions(callables=False, is_leaf=False))
def test_without_callables_every_spec_leaf_is_a_bool(recipe: Recipe) -> None:
    names = recipe.run()
    assert all(type(leaf) is bool for leaf in jtu.tree_leaves(names["spec"]))
    assert names["is_leaf"] is None


@FEW
@given(predicates())
def test_a_predicate_returns_bool_for_every_node(recipe: Recipe) -> None:
    names = recipe.run()
    for place in positions_of(names["tree"]):
        assert type(names["is_leaf"](place.node)) is bool
    counting = {"is_leaf:counting", "is_leaf:counting-type"} & recipe.features
    assert ("calls" in names) == bool(counting)


@FEW
@given(selectors())
def test_a_selector_gives_the_nodes_that_its_places_hold(drawn: Any) -> None:
    where, names = drawn
    found = selected(where, names)
    assert [identity(node) for node in found] == [identity(place.node) for place in where.targets]
    assert all(type(names["where"](names["tree"])) in (tuple, list) for _ in where.form)
    for index, place in enumerate(where.targets):
        assert not any(place.overlaps(other) for other in where.targets[:index])


@FEW
@given(selectors(trees(kinds=AWKWARD, roots=AWKWARD[:2])))
def test_selectors_reach_places_without_keys(drawn: Any) -> None:
    where, names = drawn
    assert [id(node) for node in selected(where, names)] == [
        id(place.node) for place in where.targets
    ]


@FEW
@given(selectors(subtrees=False, none=False, aliased=False, positions=False, count=(2, 2)))
def test_options_of_a_selector_hold(drawn: Any) -> None:
    where, names = drawn
    assert len(where.targets) == 2
    leaves = collections.Counter(map(id, jtu.tree_leaves(names["tree"])))
    assert all(leaves[id(node)] == 1 for node in selected(where, names))
    assert names["is_leaf"] is None


@FEW
@given(edits(), edits(functions=True))
def test_an_edit_has_one_value_for_each_target(recipe: Recipe, functional: Recipe) -> None:
    names = recipe.run()
    if {"where:tuple", "where:list"} & recipe.features:
        assert len(names["replace"]) == len(names["where"](names["tree"]))
    assert callable(functional.run()["replace_fn"])


@FEW
@given(batches())
def test_axes_fit_the_arrays_that_they_map_over(recipe: Recipe) -> None:
    names = recipe.run()
    jax.vmap(lambda tree: 0, in_axes=(names["axes"],))(names["tree"])


@pytest.mark.parametrize(
    "strategy",
    [partitions(), predicates(), selections(), edits(), edits(functions=True), batches()],
    ids=["partitions", "predicates", "selections", "edits", "functions", "batches"],
)
def test_the_printed_source_runs_on_its_own(strategy: Any) -> None:
    @settings(FEW, max_examples=15)
    @given(strategy)
    def check(recipe: Recipe) -> None:
        # Classes need a module that sys.modules knows; the text itself is a file of its own.
        names = {"__name__": "hypothesis_pytrees.generated"}
        exec(compile(recipe.source(), "<source>", "exec", dont_inherit=True), names)
        assert "tree" in names

    check()


FEATURES = {
    "spec": "root leaves children type node computed bool callable mixed",
    "is_leaf": "false none list-or-dict type identity root counting counting-type",
    "where": "attribute position leaf subtree root none empty aliased several tuple list"
    " position-after-empty-tuple",
    "replace": "leaf str array none empty-tuple subtree class own-type node module",
    "replace_fn": "identity none list alias empty-tuple class recording",
    "axes": "root leaves children type node leading last none callable",
}
DRAWN_BY = {
    "spec": partitions(),
    "is_leaf": predicates(),
    "where": selections(),
    "replace": edits(),
    "replace_fn": edits(functions=True),
    "axes": batches(callables=True),
}


@pytest.mark.sweep
@pytest.mark.parametrize("topic", FEATURES)
def test_every_feature_is_reached_within_400_examples(topic: str) -> None:
    reached: set[str] = set()

    @settings(DRAW_ONLY)
    @given(DRAWN_BY[topic])
    def check(recipe: Recipe) -> None:
        reached.update(recipe.features)

    check()
    assert {f"{topic}:{name}" for name in FEATURES[topic].split()} <= reached


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("strategy", "feature", "minimal"),
    [
        (partitions(), "spec:root", "spec = True"),
        (partitions(), "spec:callable", "spec = eqx.is_array"),
        (predicates(), "is_leaf:root", "is_leaf = lambda node: True"),
        (selections(), "where:leaf", "where = lambda tree: tree"),
        (selections(), "where:list", "where = lambda tree: [tree]"),
        (edits(), "replace:none", "replace = None"),
        (batches(), "axes:last", "axes = -1"),
    ],
)
def test_choices_shrink_to_the_simplest(strategy: Any, feature: str, minimal: str) -> None:
    def check(recipe: Recipe) -> None:
        assert recipe.statements[0].startswith("tree = jax.device_put(")
        assert minimal in recipe.statements

    shrinks(strategy, lambda recipe: feature in recipe.features, check, options=FIND)


@pytest.mark.parametrize("count", [(0, 1), (2, 1)])
def test_impossible_counts_are_refused(count: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="count must be"):
        find(selections(count=count), lambda _: True, settings=FIND)


def test_a_batch_size_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="size must be at least 1, got 0"):
        find(batches(size=0), lambda _: True, settings=FIND)


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")
def test_a_tree_that_does_not_survive_its_history_is_no_input() -> None:
    for features, raised in (
        ({"history:pickle"}, UnsatisfiedAssumption),
        ({"history:fresh"}, ZeroDivisionError),
    ):
        scope = Scope()
        scope.bind("tree", "1 // 0")
        scope.note(*features)
        with pytest.raises(raised):
            names_of(scope)
