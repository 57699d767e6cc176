"""Optax: the numbers, switches and masks that are options of each gradient transformation."""

from __future__ import annotations

import jax
import jax.tree_util as jtu

from hypothesis_pytrees import CONTAINERS
from hypothesis_pytrees.optax.params import PARAMETERS
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._inputs import CODE, DOCS, SINGLES, dtypes, keeps_types, shapes, states, steps
from .transformation_update import updates_have_the_shapes_of_the_parameters

law = Topic(
    "optax.transformation.options", "Optax: options of a transformation", family="transformation"
)
# With one dtype of parameters and gradients, no option has a reason to change a type.
_FLOAT32 = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features)
_CASES = steps(options=(), further=True, leaves=_FLOAT32, some=True)


@law(
    "whatever numbers, switches and masks a transformation is given, the updates have the "
    "structure, shapes and dtypes of the parameters",
    source=f"{DOCS}transformations.html#optax.GradientTransformation",
    level="should",
    needs={"updates", "further_options"},
    case=_CASES,
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def options_change_no_type_of_updates(lib, case):
    def step(grads, params):
        return case.tx.update(grads, case.tx.init(params), params, **case.extra)[0]

    updates = jax.eval_shape(step, case.grads, case.params)
    equal(jtu.tree_structure(updates), jtu.tree_structure(case.params))
    same(shapes(updates), shapes(case.params))
    same(dtypes(updates), dtypes(case.params))


@law(
    "whatever numbers, switches and masks a transformation is given, `update` keeps the structure "
    "of the state and the shape and dtype of each array in it",
    source=f"{CODE}_src/alias_test.py#L358",
    level="should",
    needs={"further_options"},
    case=_CASES,
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def options_change_no_type_of_the_state(lib, case):
    before, after = states(case)
    equal(jtu.tree_structure(after), jtu.tree_structure(before))
    keeps_types(before, after)


@law(
    "a number that is annotated as an array or a number may be an array or a NumPy scalar of "
    "float32, whatever floating dtypes the parameters have, and the updates have their structure "
    "and shapes",
    source=f"{CODE}transforms/_clipping.py#L77-L79",
    level="should",
    needs={"updates", "takes_arrays_for_numbers"},
    case=steps(options=(), arrays=True, leaves=SINGLES, kinds=CONTAINERS, models=False, some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def numbers_may_be_arrays(lib, case):
    def step(grads, params):
        return case.tx.update(grads, case.tx.init(params), params, **case.extra)[0]

    updates = jax.eval_shape(step, case.grads, case.params)
    equal(jtu.tree_structure(updates), jtu.tree_structure(case.params))
    same(shapes(updates), shapes(case.params))


@law(
    "a mask that selects every parameter is `True`, a tree of `True` or a function that returns "
    "one, and changes no update",
    source=f"{DOCS}transformations.html#optax.masked",
    needs={"takes_a_mask"},
    # A tree that can be called would be taken for a function.
    case=steps(options=(), masks=True, leaves=_FLOAT32, models=False, kinds=CONTAINERS, some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def every_form_of_a_mask_is_the_same(lib, case):
    def update(tx):
        return tx.update(case.grads, tx.init(case.params), case.params, **case.extra)[0]

    wanted = update(case.tx)
    for tx in case.masked:
        same(update(tx), wanted)
