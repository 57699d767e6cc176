"""Optax: each gradient transformation with hyperparameters in its state."""

from __future__ import annotations

import jax

from hypothesis_pytrees import CONTAINERS
from hypothesis_pytrees.optax.params import MATRICES, PARAMETERS
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import CODE, SINGLES, close, steps, types
from .transformation_update import updates_have_the_shapes_of_the_parameters

law = Topic(
    "optax.transformation.injected",
    "Optax: hyperparameters of a transformation in its state",
    family="transformation",
)
_TEST = f"{CODE}_src/alias_test.py#L257"
# "All optimizers wrapped in inject_hyperparams can be jit compiled without any arguments being
# specified as static" is asked for by a maintainer there.
_COMPILED = "https://github.com/google-deepmind/optax/issues/412"
# Most are matrices, which some transformations factor.
_FLOAT32 = (
    *tuple(MATRICES) * 4,
    *(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features),
)
# Arrays of one type, so that operations are compiled once.
_VECTORS = tuple(kind for kind in SINGLES if "leaf:float32" in kind.features)


@law(
    "`inject_hyperparams` of its factory, with the same arguments, makes a transformation that "
    "gives the same updates",
    source=_TEST,
    level="should",
    needs={"made_by_a_factory", "updates_without_a_loop"},
    case=steps(
        options=(), injected=True, leaves=_VECTORS, kinds=CONTAINERS, models=False, some=True
    ),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def an_injected_factory_gives_the_same_updates(lib, case):
    updates = [
        tx.update(case.grads, tx.init(case.params), case.params, **case.extra)[0]
        for tx in (case.injected, case.tx)
    ]
    close(*updates)


@law(
    "`inject_hyperparams` of its factory, with any numbers, switches and masks, makes a "
    "transformation whose `init` and `update` can be compiled, and whose updates have the same "
    "types",
    source=_COMPILED,
    level="should",
    needs={"made_by_a_factory"},
    case=steps(injected=True, further=True, leaves=_FLOAT32, some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def an_injected_factory_can_be_compiled(lib, case):
    def updated(tx):
        state = jax.eval_shape(tx.init, case.params)
        return jax.eval_shape(
            lambda *given: tx.update(*given, **case.extra)[0], case.grads, state, case.params
        )

    same(types(updated(case.injected)), types(updated(case.tx)))
