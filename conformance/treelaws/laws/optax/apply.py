"""Optax: applying updates to parameters."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.optimisations import updated
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import DOCS, types

law = Topic("optax.apply", "Optax: applying updates", family="optax")
_PAGE = f"{DOCS}apply_updates.html"


@law(
    "`apply_updates` returns parameters of the same structure, shapes and types",
    source=f"{_PAGE}#optax.apply_updates",
    needs={"apply_updates"},
    case=updated(),
)
def updated_parameters_keep_their_types(lib, case):
    same(types(lib.apply_updates(case.params, case.updates)), types(case.params))


@law(
    "`apply_updates` adds each update to its parameter",
    source=f"{_PAGE}#optax.apply_updates",
    needs={"apply_updates"},
    case=updated(),
    parents=(updated_parameters_keep_their_types,),
)
def updates_are_added(lib, case):
    wanted = jtu.tree_map(lambda p, u: (p + u).astype(p.dtype), case.params, case.updates)
    same(lib.apply_updates(case.params, case.updates), wanted)


@law(
    "`apply_updates` does not change its arguments",
    source=f"{_PAGE}#optax.apply_updates",
    level="should",
    needs={"apply_updates"},
    case=updated(),
)
def applying_leaves_the_arguments_alone(lib, case):
    given = (case.params, case.updates)
    before = jtu.tree_map(lambda leaf: leaf, given)
    lib.apply_updates(*given)
    same(given, before, identical=True)


@law(
    "`incremental_update` returns the new tensors for step size 1 and the old ones for 0",
    source=f"{_PAGE}#optax.incremental_update",
    needs={"incremental_update"},
    case=updated(alike=True),
)
def an_incremental_update_goes_from_old_to_new(lib, case):
    new, old = jtu.tree_map(jnp.abs, (case.updates, case.params))
    same(lib.incremental_update(new, old, 1.0), new)
    same(lib.incremental_update(new, old, 0.0), old)


@law(
    "`periodic_update` returns the new tensors once in each period, and otherwise the old ones",
    source=f"{_PAGE}#optax.periodic_update",
    needs={"periodic_update"},
    case=updated(alike=True),
)
def a_periodic_update_waits_for_its_period(lib, case):
    new, old = case.updates, case.params
    same(lib.periodic_update(new, old, jnp.int32(4), 2), new)
    same(lib.periodic_update(new, old, jnp.int32(3), 2), old)
