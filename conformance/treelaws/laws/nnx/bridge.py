"""Flax NNX: `ToNNX` makes a module of NNX from one of Linen."""

from __future__ import annotations

from typing import Any

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.flax.linen_models import FIXED, OF_ARRAYS, RANDOM, linen_models
from hypothesis_pytrees.flax.linen_uses import (
    boxed_linen,
    held_linen,
    mapped_linen,
    transformed_linen,
)
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._bridged import flattened, linen_variables, updated
from ._near import near

law = Topic("nnx.bridge", "Flax NNX: modules converted from and to Linen", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/bridge_guide.html"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/bridge.html"
_NEEDS = {"bridge", "variable_names_are_registered"}


@law(
    "`lazy_init` of a converted Linen module makes the variables that `init` of Linen makes, at "
    "the same paths, of the Variable type of their collection",
    # A comment of the guide: "=> `var = model.init(key, x)` in Linen".
    source=f"{_GUIDE}#linen-nnx",
    level="should",
    needs=_NEEDS,
    case=linen_models(kinds=FIXED, names=True),
)
def lazy_init_makes_the_variables_of_linen(lib, case):
    model, variables = _made(lib, case)
    same(flattened(linen_variables(lib, model)), flattened(variables))


@law(
    "a call of a converted Linen module returns what `apply` of Linen returns with the same "
    "variables",
    source=f"{_GUIDE}#linen-nnx",
    needs=_NEEDS,
    case=linen_models(kinds=FIXED, names=True),
    parents=[lazy_init_makes_the_variables_of_linen],
)
def converted_linen_modules_return_the_same(lib, case):
    model, variables = _made(lib, case)
    same(model(case.x), case.module.apply(variables, case.x))


@law(
    "`lazy_init` and calls of a converted Linen module give it the next key of each stream",
    # The request promises no more than that no key is used twice.
    source="https://github.com/google/flax/pull/4604",
    level="observed",
    needs=_NEEDS,
    case=linen_models(values=["array"], kinds=RANDOM),
)
def streams_give_linen_their_next_keys(lib, case):
    rngs = lib.Rngs(**case.seeds)
    model = lib.bridge.ToNNX(case.module).lazy_init(case.x, rngs=rngs)
    results = [model(case.x, rngs=rngs) for _ in range(2)]
    others = lib.Rngs(**case.seeds)
    variables = case.module.init(case.linen_keys(others), case.x)
    same(flattened(linen_variables(lib, model)), flattened(variables))
    apply = lambda: case.module.apply(variables, case.x, rngs=case.linen_keys(others))
    same(results, [apply() for _ in range(2)])


@law(
    "after calls with `mutable`, a converted Linen module holds what `apply` of Linen with "
    "`mutable` changes and adds, and its other variables as they were",
    source=f"{_GUIDE}#id1",
    level="should",
    needs=_NEEDS,
    case=linen_models(kinds=FIXED, names=True),
    parents=[lazy_init_makes_the_variables_of_linen],
)
def mutable_collections_are_updated(lib, case):
    model, variables = _made(lib, case)
    for _ in range(2):
        model(case.x, mutable=case.mutable)
        _, updates = case.module.apply(variables, case.x, mutable=case.mutable)
        variables = updated(variables, updates)
    same(flattened(linen_variables(lib, model)), flattened(variables))


@law(
    "a converted Linen module returns the same, and changes in the same way, within `jit`, "
    "`remat`, `cond`, `switch`, `grad` and `scan`, and when it is merged or cloned",
    source=f"{_API}#flax.nnx.bridge.ToNNX",
    needs=_NEEDS,
    case=transformed_linen(),
    parents=[mutable_collections_are_updated],
)
def converted_linen_modules_are_transformed(lib, case):
    (model, _), (other, _) = _made(lib, case), _made(lib, case)
    result, changed = case.run(model, case.x)
    near(result, case.nnx_call(other, case.x))
    _near(flattened(linen_variables(lib, changed)), flattened(linen_variables(lib, other)))


@law(
    "the gradient of a converted Linen module is that of `apply` of Linen",
    source=f"{_GUIDE}#submodule-is-all-you-need",
    level="should",
    needs=_NEEDS,
    case=linen_models(values=OF_ARRAYS, kinds=FIXED),
    parents=[converted_linen_modules_return_the_same],
)
def converted_linen_modules_have_the_gradient_of_linen(lib, case):
    model, variables = _made(lib, case)
    call = lambda params: case.module.apply({**variables, "params": params}, case.x)
    wanted = jax.grad(lambda params: (call(params) ** 2).sum())(variables.get("params", {}))
    grads = lib.grad(lambda model: (model(case.x) ** 2).sum())(model)
    _near(flattened({"params": nnx_api.pure(lib, grads)}), flattened({"params": wanted}))


@law(
    "a converted Linen module that `vmap` initialises and calls has variables for each row, with "
    "which it returns what `apply` of Linen returns for the row",
    source=f"{_GUIDE}#id5",
    level="should",
    needs=_NEEDS,
    case=mapped_linen(),
)
def mapped_linen_modules_have_variables_for_each_row(lib, case):
    lib.bridge.lazy_init(case.outer, case.xs)
    results, variables = case.outer(case.xs), linen_variables(lib, case.outer.inner)
    for row in range(2):
        inner = jtu.tree_map(lambda leaf, row=row: leaf[row], variables)
        near(results[row], case.module.apply(inner, case.xs[row]))


@law(
    "`lazy_init` of a module of NNX makes the variables of a converted Linen module that it holds "
    "in a list, tuple, dict or other module, and uses its own Variables",
    source=f"{_GUIDE}#linen-nnx",
    needs=_NEEDS,
    case=held_linen(),
    parents=[lazy_init_makes_the_variables_of_linen],
)
def lazy_init_reaches_converted_modules(lib, case):
    variables = case.module.init(jax.random.key(0), case.x)
    lib.bridge.lazy_init(case.outer, case.x)
    same(flattened(linen_variables(lib, case.part)), flattened(variables))
    same(case.outer(case.x), case.module.apply(variables, case.x) + case.bias)


@law(
    "a module of NNX that holds a converted Linen module has the same variables as the converted "
    "module of Linen that holds that module",
    source="https://github.com/google/flax/pull/4194",
    level="should",
    needs=_NEEDS,
    case=held_linen(),
)
def modules_can_be_converted_at_any_level(lib, case):
    inside = lib.bridge.lazy_init(case.holder, case.x)
    outside = lib.bridge.ToNNX(case.linen, rngs=lib.Rngs(0)).lazy_init(case.x)
    same(
        flattened(linen_variables(lib, inside)),
        flattened(linen_variables(lib, outside)),
    )


@law(
    "a converted Linen module sees the boxes that `apply` of Linen shows it, also after a call "
    "has changed their values",
    source="https://github.com/google/flax/pull/4145",
    level="should",
    needs=_NEEDS,
    case=boxed_linen(),
)
def boxes_come_back_to_linen(lib, case):
    with case.unplaced():
        model = lib.bridge.ToNNX(case.module, rngs=lib.Rngs(0)).lazy_init(case.x)
        variables = case.module.init(jax.random.key(0), case.x)
        for _ in range(2):
            same(model(case.x), case.module.apply(variables, case.x))
            model(case.x, mutable=case.mutable)
            _, variables = case.module.apply(variables, case.x, mutable=case.mutable)


def _made(lib: Any, case: Any) -> tuple[Any, Any]:
    """Return a converted module, and the variables that Linen makes, with any keys."""
    model = lib.bridge.ToNNX(case.module).lazy_init(case.x, rngs=lib.Rngs(**case.seeds))
    return model, case.module.init(jax.random.key(0), case.x)


def _near(found: Any, wanted: Any) -> None:
    equal(jtu.tree_structure(found), jtu.tree_structure(wanted))
    near(found, wanted)
