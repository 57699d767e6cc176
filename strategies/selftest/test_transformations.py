"""What optimisers are drawn: each transformation of the installed optax, parameters, masks."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import pytest
from hypothesis import find, given, settings, strategies as st

from hypothesis_pytrees import Recipe
from hypothesis_pytrees.optax.chains import chains
from hypothesis_pytrees.optax.masks import masks
from hypothesis_pytrees.optax.optimisations import WRAPPERS, optimisations, updated
from hypothesis_pytrees.optax.params import PARAMETERS, parameters
from hypothesis_pytrees.optax.states import KEYS, searches
from hypothesis_pytrees.optax.steps import COPIES, copies, injected, looped
from hypothesis_pytrees.optax.transformations import (
    ARGUMENTS,
    DTYPES,
    EXCEPTIONS,
    NAMES,
    Transformation,
    found,
    gives_a_transformation,
    optional,
    simple,
)
from hypothesis_pytrees.optax.trees import empty_reductions, reductions, tree_pairs
from hypothesis_pytrees.trees.prefixes import CUTS

optax = pytest.importorskip("optax")
FEW = settings(max_examples=40, derandomize=True, deadline=None, database=None)
SUBJECTS = found()
BY_NAME = {made.name: made for made in SUBJECTS}


def functions() -> Iterator[tuple[str, Any]]:
    for prefix, module in (("", optax), ("contrib.", optax.contrib)):
        for name in dir(module):
            value = getattr(module, name)
            if (
                not name.startswith("_")
                and callable(value)
                and not isinstance(value, types.ModuleType)
            ):
                yield prefix + name, value


def made_by(function: Any) -> Any:
    """Call a function with the arguments of the table; `None` where that gives no optimiser."""
    try:
        parameters = inspect.signature(function).parameters.values()
        given = {p.name: ARGUMENTS[p.name] for p in parameters if p.default is p.empty}
        names = {"optax": optax, "jnp": jnp, "jax": jax}
        made = function(**{name: eval(text, names) for name, text in given.items()})
    except Exception:
        return None
    return made if hasattr(made, "init") and hasattr(made, "update") else None


def test_every_transformation_is_a_subject_or_an_exception() -> None:
    for name, function in functions():
        if gives_a_transformation(name, function) or made_by(function) is not None:
            assert name in BY_NAME or EXCEPTIONS.get(name), f"optax.{name} is neither"


def test_every_subject_has_a_known_name() -> None:
    assert set(BY_NAME) <= set(NAMES)


@pytest.mark.parametrize("made", SUBJECTS, ids=lambda made: made.name)
def test_every_call_gives_a_transformation(made: Transformation) -> None:
    for call in (simple(made), *optional(made)):
        tx = call.build()
        assert callable(tx.init), call
        assert callable(tx.update), call
        assert made.feature in call.features


def arrays_of(tree: Any) -> list[tuple[Any, ...]]:
    return [(leaf.shape, str(leaf.dtype), leaf.tolist()) for leaf in jtu.tree_leaves(tree)]


@FEW
@given(parameters())
def test_parameters_are_real_floating_arrays(recipe: Recipe) -> None:
    names = recipe.run()
    for leaf in jtu.tree_leaves(names["params"]):
        assert isinstance(leaf, jax.Array)
        assert jnp.issubdtype(leaf.dtype, jnp.floating)
        assert not leaf.weak_type
    assert names["params"] is not None
    assert jtu.tree_structure(names["grads"]) == jtu.tree_structure(names["params"])
    dtypes = [[leaf.dtype for leaf in jtu.tree_leaves(names[key])] for key in ("params", "grads")]
    assert dtypes[0] == dtypes[1]


@FEW
@given(parameters())
def test_source_rebuilds_the_parameters(recipe: Recipe) -> None:
    one, other = recipe.run()["params"], recipe.run()["params"]
    assert jtu.tree_structure(one) == jtu.tree_structure(other)
    assert arrays_of(one) == arrays_of(other)
    compile(recipe.source(), "<printed>", "exec")


def reached(strategy: st.SearchStrategy[Recipe], examples: int = 300) -> set[str]:
    features: set[str] = set()

    @settings(FEW, max_examples=examples)
    @given(strategy)
    def draw(recipe: Recipe) -> None:
        features.update(recipe.features)

    draw()
    return features


def test_every_kind_of_parameters_is_reached() -> None:
    facts = ("no-arrays", "mixed", "half", "scalar", "vector", "matrix", "zero-size", "None")
    assert reached(parameters()) >= {
        *(f"params:{fact}" for fact in (*facts, "bare")),
        *("params:plain", "params:filter", "params:nnx"),
        *(kind.features[0] for kind in PARAMETERS),
    }


@pytest.mark.sweep
def test_every_wrapper_and_option_is_reached() -> None:
    drawn = optimisations(BY_NAME["adam"], wrappers=WRAPPERS, precisions=True)
    features = reached(drawn, examples=600)
    assert features >= {f"wrapper:{name}" for name, _ in WRAPPERS}
    assert features >= {"option:mu_dtype", "option:nesterov", "grads:float32", "grads:bfloat16"}


@pytest.mark.sweep
def test_every_key_and_reduction_is_reached() -> None:
    assert reached(searches()) >= {f"key:{key}" for key in KEYS}
    assert reached(reductions()) >= {"reduction:tree_sum", "reduction:global_norm"}
    assert reached(empty_reductions()) >= {"tree:empty", "tree:zero-size"}


@pytest.mark.sweep
def test_every_form_of_mask_is_reached() -> None:
    forms = {"mask:tree", "mask:function", "mask:bool", "params:callable-root"}
    forms |= {f"mask:{cut}" for cut in CUTS}
    assert reached(masks()) >= forms
    assert "mask:function" not in reached(masks(functions=False))


@FEW
@given(masks(optimisers=True))
def test_a_mask_says_something_for_each_leaf(recipe: Recipe) -> None:
    names = recipe.run()
    full, params = names["full"], names["params"]
    assert jtu.tree_structure(full) == jtu.tree_structure(params)
    assert all(flag in (True, False) for flag in jtu.tree_leaves(full))
    given = names["mask"](0) if "mask:function" in recipe.features else names["mask"]
    assert given is names["prefix"]
    assert callable(names["tx"].init)


@FEW
@given(optimisations(BY_NAME["adam"], listed=True))
def test_a_list_of_leaves_stands_for_the_tree(recipe: Recipe) -> None:
    names = recipe.run()
    assert isinstance(names["listed_params"], list)
    for name in ("params", "grads"):
        assert arrays_of(names[f"listed_{name}"]) == arrays_of(names[name])


@FEW
@given(optimisations(BY_NAME["adam"], filtered=True))
def test_filtered_parameters_miss_some(recipe: Recipe) -> None:
    names = recipe.run()
    whole, kept = (len(jtu.tree_leaves(names[name])) for name in ("whole", "params"))
    assert (kept < whole) == ("grads:None" in recipe.features)
    assert whole > 0
    assert jtu.tree_structure(names["grads"]) == jtu.tree_structure(names["params"])


@FEW
@given(st.one_of(updated(), tree_pairs(), chains(), injected(), injected(narrow=True), looped()))
def test_cases_build(recipe: Recipe) -> None:
    names = recipe.run()
    assert {"updates", "other", "links", "tx"} & set(names)


@FEW
@given(copies())
def test_copies_are_counted(recipe: Recipe) -> None:
    names = recipe.run()
    assert names["copies"] in COPIES.values()
    assert jtu.tree_leaves(names["params"])
    assert callable(names["tx"].init)


def test_parameters_shrink_to_one_vector() -> None:
    smallest = find(parameters(), lambda recipe: True, settings=FEW)
    assert smallest.source().splitlines()[-2:] == [
        "params = jax.device_put(np.float32([1.0, 2.0]))",
        "grads = jtu.tree_map(lambda leaf: leaf * 0.5, params)",
    ]


def test_optimisations_shrink_to_the_simple_call() -> None:
    strategy = optimisations(BY_NAME["adam"], wrappers=WRAPPERS)
    smallest = find(strategy, lambda recipe: True, settings=FEW)
    assert smallest.statements[-1] == "tx = optax.chain(optax.adam(learning_rate=0.1))"


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="leaves is empty"):
        parameters(leaves=())
    with pytest.raises(ValueError, match="has none of the options"):
        optimisations(BY_NAME["scale"], options=DTYPES, plain=False)
    with pytest.raises(ValueError, match="least <= most"):
        chains(least=2, most=1)
