"""Optax: what combined transformations refuse."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.chains import chains
from treelaws.equality import refuses

from .combine import a_chain_applies_its_links_in_order, law

_CODE = "https://github.com/google-deepmind/optax/blob/v0.2.8/optax/transforms/_combining.py"


@law(
    "`chain` raises ValueError for the state of a chain with fewer or more links",
    source=f"{_CODE}#L82-L86",
    level="should",
    needs={"chain", "identity"},
    case=chains(),
    parents=(a_chain_applies_its_links_in_order,),
)
def the_state_of_another_chain_is_refused(lib, case):
    tx = lib.chain(*case.links, lib.identity())
    for links in (case.links, [*case.links, lib.identity(), lib.identity()]):
        state = lib.chain(*links).init(case.params)
        refuses(ValueError, lambda state=state: tx.update(case.grads, state, case.params))


@law(
    "`multi_transform` raises ValueError if a label has no transformation, also if a "
    "function gives the labels",
    source=f"{_CODE}#L256-L262",
    level="should",
    needs={"multi_transform", "chain"},
    case=chains(),
)
def a_label_without_a_transformation_is_refused(lib, case):
    params = [case.params, [jnp.float32(1.0), jnp.zeros(2)]]
    labels = [jtu.tree_map(lambda _: "known", case.params), ["known", "unknown"]]
    for given in (labels, lambda _: labels):
        tx = lib.multi_transform({"known": lib.chain(*case.links)}, given)
        refuses(ValueError, lambda tx=tx: tx.init(params))
