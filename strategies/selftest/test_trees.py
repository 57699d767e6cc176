"""trees(): reaches every kind, pair, history and alias, and shrinks to the smallest tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import jax.tree_util as jtu
import pytest
from drawn import drawn_until_met, shrinks
from hypothesis import HealthCheck, Phase, find, given, settings, strategies as st
from test_kinds import execute, outline

from hypothesis_pytrees import CONTAINERS, Recipe, leaves, real_arrays, trees
from hypothesis_pytrees.classes.grammar.modules import MODULE_CLASSES
from hypothesis_pytrees.core.prior_operations import PRIOR_OPERATIONS
from hypothesis_pytrees.leaves.leaves import COMPARABLE, EVERY
from hypothesis_pytrees.nodes.node_classes import NODE_CLASSES, PLAIN_NODE
from hypothesis_pytrees.trees.trees import every_kind

FIXED = settings(
    max_examples=3000,
    derandomize=True,
    report_multiple_bugs=False,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
SEARCH = settings(max_examples=5000, derandomize=True, database=None, deadline=None)
LEAF = EVERY[0].template
KINDS = every_kind()
NAMES = list(dict.fromkeys(kind.name for kind in KINDS))
# Two kinds of layer have a child, so a layer is a rare parent.
PARENTS = list(dict.fromkeys(kind.name for kind in KINDS if kind.arity and kind.name != "layer"))
PAIRS = [f"{outer}>{inner}" for outer in PARENTS for inner in (*NAMES, "leaf")]
HISTORIES = [f"history:{history.name}" for history in PRIOR_OPERATIONS]
ALIASES = ["alias:leaf", "alias:subtree"]
LEAVES = [name for kind in COMPARABLE for name in kind.features if name.startswith("leaf:")]


def collect(strategy: st.SearchStrategy[Recipe], config: settings = FIXED) -> Counter[str]:
    """Count the features of what a strategy draws in one fixed run."""
    seen: Counter[str] = Counter()

    @config
    @given(strategy)
    def run(recipe: Recipe) -> None:
        seen.update(recipe.features)

    run()
    return seen


def smallest(strategy: st.SearchStrategy[Recipe], holds: Callable[[Recipe], Any]) -> Recipe:
    return find(strategy, lambda recipe: bool(holds(recipe)), settings=SEARCH)


@pytest.fixture(scope="module")
def drawn() -> Counter[Hashable]:
    return drawn_until_met(
        trees(kinds=KINDS, history=True), [*NAMES, *HISTORIES, *ALIASES, *LEAVES]
    )


class TestCoverage:
    @pytest.mark.sweep
    @pytest.mark.parametrize(
        "names",
        [NAMES, HISTORIES, ALIASES, LEAVES],
        ids=["kinds", "histories", "aliases", "leaves"],
    )
    def test_everything_is_reached(self, drawn: Counter[Hashable], names: list[str]):
        assert sorted(set(names) - set(drawn)) == []

    @pytest.mark.sweep
    def test_every_pair_is_reached(self):
        # One kind of each name, with the most children that it may have.
        wide = sorted(KINDS, key=lambda kind: (not kind.takes, kind.arity))
        kinds = list({kind.name: kind for kind in wide}.values())
        assert sorted(set(PAIRS) - set(drawn_until_met(trees(kinds=kinds), PAIRS))) == []

    @pytest.mark.sweep
    def test_most_trees_are_fresh(self, drawn: Counter[Hashable]):
        others = sum(drawn[name] for name in HISTORIES if name != "history:fresh")
        assert drawn["history:fresh"] > others

    def test_every_hostile_leaf_is_reached(self):
        seen = collect(leaves(hostile=True))
        wanted = {f for kind in EVERY for f in kind.features if f.startswith("leaf:")}
        assert not wanted - set(seen)

    def test_options_are_obeyed(self):
        few = settings(FIXED, max_examples=200)
        seen = collect(trees(real_arrays(), kinds=CONTAINERS, alias=False, max_leaves=3), few)
        assert not {name for name in seen if name.startswith(("alias:", "history:", "node:"))}
        assert "leaf:float32" in seen
        assert "leaf:int" not in seen


class TestText:
    @settings(FIXED, max_examples=120)
    @given(trees(kinds=KINDS, history=True))
    def test_source_rebuilds_build(self, recipe: Recipe):
        try:
            built = recipe.build()
        except Exception as error:  # a history that this release of a library does not survive
            with pytest.raises(type(error)):
                execute(recipe.source())
        else:
            assert outline(execute(recipe.source())) == outline(built)

    @settings(FIXED, max_examples=150)
    @given(trees(real_arrays(), kinds=CONTAINERS))
    def test_an_aliased_leaf_is_one_object(self, recipe: Recipe):
        leaves = jtu.tree_leaves(recipe.build())
        aliased = {"alias:leaf", "alias:subtree"} & recipe.features
        if not aliased:
            assert len(set(map(id, leaves))) == len(leaves)
        if "alias:leaf" in aliased:
            assert len(set(map(id, leaves))) < len(leaves)

    def test_roots_are_obeyed(self):
        pair = next(kind for kind in CONTAINERS if kind.name == "namedtuple")

        @settings(FIXED, max_examples=50)
        @given(trees(roots=[pair]))
        def run(recipe: Recipe) -> None:
            assert type(recipe.build()).__name__ == "Pair"

        run()


# Around a node, a class of several traits may stay, since Hypothesis removes few choices at once.
_PLAIN = (*CONTAINERS, PLAIN_NODE, *NODE_CLASSES.alone())


class TestShrinking:
    def test_any_tree(self):
        def check(recipe: Recipe) -> None:
            assert recipe.source() == f"import numpy as np\nimport jax\n\ntree = {LEAF}\n"

        shrinks(trees(), lambda recipe: True, check)

    def test_namedtuple_with_two_fields(self):
        def check(recipe: Recipe) -> None:
            assert f"Pair({LEAF}, {LEAF})" in recipe.expression
            assert len(recipe.definitions) == 1

        shrinks(trees(kinds=_PLAIN), lambda recipe: "Pair(" in recipe.expression, check)

    def test_module_inside_a_dict(self):
        def check(recipe: Recipe) -> None:
            assert recipe.expression.startswith("{'a': ")
            assert recipe.expression.count(LEAF) <= 2
            inside = {name for name in recipe.features if ">" in name}
            assert inside <= {"dict>module", "module>leaf"}

        trees_ = trees(kinds=(*_PLAIN, *MODULE_CLASSES.alone()))
        shrinks(trees_, lambda recipe: "dict>module" in recipe.features, check)

    def test_dict_inside_a_registered_node(self):
        def check(recipe: Recipe) -> None:
            pairs = [name for name in recipe.features if ">" in name and "leaf" not in name]
            assert len(pairs) == 1

        wanted = "register_pytree_node>dict"
        shrinks(trees(kinds=_PLAIN), lambda recipe: wanted in recipe.features, check)

    def test_aliased_leaf(self):
        def check(recipe: Recipe) -> None:
            assert recipe.statements == (f"shared = {LEAF}",)
            assert recipe.expression.count("shared") == 2
            assert len(recipe.expression) < 60

        shrinks(trees(kinds=CONTAINERS), lambda recipe: "alias:leaf" in recipe.features, check)

    @pytest.mark.sweep
    def test_aliased_subtree(self):
        def check(recipe: Recipe) -> None:
            assert len(recipe.statements) == 1
            assert recipe.expression.count("shared") == 2
            assert len(recipe.expression) < 60

        shrinks(trees(kinds=_PLAIN), lambda recipe: "alias:subtree" in recipe.features, check)

    def test_history(self):
        def check(recipe: Recipe) -> None:
            tree, pickled = f"tree = {LEAF}", "tree = pickle.loads(pickle.dumps(tree))"
            assert recipe.statements == (tree, pickled)
            assert recipe.expression == "tree"

        shrinks(trees(history=True), lambda recipe: "history:pickle" in recipe.features, check)

    def test_kind_of_leaf(self):
        def check(recipe: Recipe) -> None:
            assert len({name for name in recipe.features if ">" in name}) <= 1

        shrinks(trees(), lambda recipe: "leaf:nan" in recipe.features, check)


class TestArguments:
    @pytest.mark.parametrize("value", [0, -3])
    def test_max_leaves_below_one_is_refused(self, value: int):
        with pytest.raises(ValueError, match=f"max_leaves must be at least 1, got {value}"):
            find(trees(max_leaves=value), lambda recipe: True, settings=SEARCH)

    def test_one_leaf_is_enough(self):
        few = settings(FIXED, max_examples=50)
        assert set(collect(trees(max_leaves=1), few)) >= {"leaf"}
