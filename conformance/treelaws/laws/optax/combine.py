"""Optax: chains of transformations, and wrappers that change the input of the inner one."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.chains import chains
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._inputs import CODE, DOCS, are_zeros, close, in_order, zeros

law = Topic("optax.combine", "Optax: chains and wrappers", family="optax")
_PAGE = f"{DOCS}combining_optimizers.html"
_WRAPPERS = f"{DOCS}optimizer_wrappers.html"
_CHAINS = chains()


@law(
    "`chain` applies the transformations in order, and its state is the tuple of their states",
    source=f"{_PAGE}#optax.chain",
    needs={"chain"},
    case=chains(least=0),
)
def a_chain_applies_its_links_in_order(lib, case):
    tx = lib.chain(*case.links)
    got = tx.update(case.grads, tx.init(case.params), case.params)
    same(got, in_order(case))


@law(
    "a chain in a chain gives the same updates as the flat chain",
    source=f"{_PAGE}#optax.chain",
    needs={"chain"},
    case=chains(least=2),
    parents=(a_chain_applies_its_links_in_order,),
)
def chains_are_associative(lib, case):
    first, *rest = case.links
    tx = lib.chain(first, lib.chain(*rest))
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    same(updates, in_order(case)[0])


@law(
    "`named_chain` gives the updates of `chain`, and the state of each transformation under its "
    "name",
    source=f"{_PAGE}#optax.named_chain",
    needs={"named_chain"},
    case=_CHAINS,
)
def a_named_chain_is_a_chain(lib, case):
    tx = lib.named_chain(*zip(case.names, case.links, strict=True))
    updates, state = tx.update(case.grads, tx.init(case.params), case.params)
    wanted, states = in_order(case)
    same(updates, wanted)
    same(tuple(state[name] for name in case.names), states)


@law(
    "the state of `named_chain` keeps its type and the order of names after init, update and a "
    "rebuild",
    source=f"{_PAGE}#optax.named_chain",
    level="should",
    needs={"named_chain"},
    case=_CHAINS,
)
def a_named_chain_keeps_the_order_of_names(lib, case):
    tx = lib.named_chain(*zip(case.names, case.links, strict=True))
    state = tx.init(case.params)
    _, after = tx.update(case.grads, state, case.params)
    rebuilt = [jtu.tree_map(lambda leaf: leaf, one) for one in (state, after)]
    wanted = [(type(state), case.names)] * 4
    same([(type(one), list(one)) for one in (state, after, *rebuilt)], wanted)


@law(
    "`named_chain` raises ValueError if two transformations have the same name",
    source=f"{CODE}transforms/_combining.py#L164-L167",
    level="should",
    needs={"named_chain"},
    case=chains(least=2),
)
def a_name_twice_is_refused(lib, case):
    refuses(ValueError, lambda: lib.named_chain(*(("a", link) for link in case.links)))


@law(
    "`flatten` does not change the updates of a transformation that works on each number",
    source=f"{_WRAPPERS}#optax.flatten",
    needs={"flatten", "chain"},
    case=chains(alike=True),
    parents=(a_chain_applies_its_links_in_order,),
)
def flattening_changes_no_update(lib, case):
    tx = lib.flatten(lib.chain(*case.links))
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    close(updates, in_order(case)[0])


@law(
    "`flatten` gives the inner transformation one vector of all numbers",
    source=f"{_WRAPPERS}#optax.flatten",
    needs={"flatten", "stateless"},
    case=chains(alike=True),
)
def flattening_gives_one_vector(lib, case):
    seen = []
    tx = lib.flatten(lib.stateless(lambda updates, params: (seen.append(updates), updates)[1]))
    tx.update(case.grads, tx.init(case.params), case.params)
    numbers = jnp.concatenate([jnp.ravel(leaf) for leaf in jtu.tree_leaves(case.grads)])
    same(jtu.tree_leaves(seen), [numbers])


@law(
    "`set_to_zero` gives zeros of the same structure and shapes as the updates",
    source=f"{DOCS}transformations.html#optax.set_to_zero",
    needs={"set_to_zero"},
    case=_CHAINS,
)
def zeros_are_like_the_updates(lib, case):
    tx = lib.set_to_zero()
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    are_zeros(updates, case.grads)


@law(
    "`identity` returns the updates unchanged",
    source=f"{DOCS}transformations.html#optax.identity",
    needs={"identity"},
    case=_CHAINS,
)
def the_identity_passes_the_updates(lib, case):
    tx = lib.identity()
    updates, _ = tx.update(case.grads, tx.init(case.params), case.params)
    same(updates, case.grads)


@law(
    "`apply_if_finite` gives the inner updates for finite gradients; otherwise zeros, and the "
    "inner state stays",
    source=f"{_WRAPPERS}#optax.apply_if_finite",
    needs={"apply_if_finite", "chain"},
    case=chains(most=1),
)
def gradients_that_are_not_finite_are_dropped(lib, case):
    tx = lib.apply_if_finite(lib.chain(*case.links), 2)
    state = tx.init(case.params)
    close(tx.update(case.grads, state, case.params)[0], in_order(case)[0])
    worse = jtu.tree_map(lambda leaf: leaf * jnp.nan, case.grads)
    updates, after = tx.update(worse, state, case.params)
    if any(leaf.size for leaf in jtu.tree_leaves(case.grads)):
        same((updates, after.inner_state), (zeros(case.grads), state.inner_state))
