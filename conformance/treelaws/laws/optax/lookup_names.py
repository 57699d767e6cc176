"""Optax: names of any text for values, measures, transformations and labels."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.names import names
from treelaws.equality import same

from ._inputs import DOCS
from .lookup import every_value_is_set, law, the_only_value_is_got

_UTILITIES = f"{DOCS}utilities.html"
_COMBINE = f"{DOCS}combining_optimizers.html"


@law(
    "`tree_set` and `tree_get` find a key of any text, also one that is the name of a parameter of "
    "theirs",
    source=f"{_UTILITIES}#optax.tree_utils.tree_set",
    level="should",
    needs={"tree_utils.tree_get", "tree_utils.tree_set"},
    case=names(),
    parents=(the_only_value_is_got, every_value_is_set),
)
def keys_have_any_name(lib, case):
    tree = dict.fromkeys(case.names, 0)
    wanted = {name: [number] for number, name in enumerate(case.names)}
    got = lib.tree_utils.tree_set([tree], **wanted)
    same(got, [wanted], identical=True)
    found = {name: lib.tree_utils.tree_get(got, name) for name in case.names}
    same(found, wanted, identical=True)


@law(
    "`named_chain` keeps the state of each transformation under its name, of any text",
    source=f"{_COMBINE}#optax.named_chain",
    level="should",
    needs={"named_chain", "trace"},
    case=names(),
)
def links_have_any_name(lib, case):
    tx = lib.named_chain(*((name, lib.trace(0.5)) for name in case.names))
    _, state = tx.update(case.grads, tx.init(case.params), case.params)
    _, alone = lib.trace(0.5).update(case.grads, lib.trace(0.5).init(case.params))
    same(list(state), case.names)
    same(state[case.names[0]], alone)


@law(
    "`monitor` keeps each measurement under its name, of any text",
    source=f"{DOCS}transformations.html#optax.monitor",
    level="should",
    needs={"monitor"},
    case=names(),
)
def measures_have_any_name(lib, case):
    made = enumerate(case.names)
    tx = lib.monitor({name: lambda _, number=number: jnp.int32(number) for number, name in made})
    updates, state = tx.update(case.grads, tx.init(case.params), case.params)
    same(updates, case.grads)
    found = {name: state.measurements[name] for name in case.names}
    same(found, {name: jnp.int32(number) for number, name in enumerate(case.names)})


@law(
    "`multi_transform` takes labels of any text or integers, for all parameters and for each",
    source=f"{_COMBINE}#optax.multi_transform",
    level="should",
    needs={"multi_transform", "scale"},
    case=names(numbers=True),
)
def labels_have_any_name(lib, case):
    parts = {name: lib.scale(2.0**number) for number, name in enumerate(case.names)}
    for number, name in enumerate(case.names):
        wanted = jtu.tree_map(lambda leaf, number=number: leaf * 2.0**number, case.grads)
        for labels in (name, jtu.tree_map(lambda _, name=name: name, case.params)):
            tx = lib.multi_transform(parts, labels)
            same(tx.update(case.grads, tx.init(case.params), case.params)[0], wanted)
