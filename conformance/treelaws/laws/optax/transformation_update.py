"""Optax: what `update` of each gradient transformation gives."""

from __future__ import annotations

import jax.tree_util as jtu

from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import CODE, DOCS, dtypes, shapes, steps, traced, whole_program
from ._programs import program

law = Topic(
    "optax.transformation.update", "Optax: updates of a transformation", family="transformation"
)
_PURE = f"{DOCS}transformations.html#optax.GradientTransformation"
_FEW = 0.05


@law(
    "init and update take any tree of floating arrays, with scalars, None and empty nodes in it, "
    "and the updates have its structure and shapes",
    source=f"{DOCS}apply_updates.html#optax.apply_updates",
    needs={"updates"},
    weight=_FEW,
    case=steps(),
)
def updates_have_the_shapes_of_the_parameters(lib, case):
    same(shapes(traced(case).updates), shapes(case.params))


@law(
    "updates have the dtypes of the gradients",
    source=f"{CODE}_src/alias_test.py#L328",
    level="should",
    needs={"updates"},
    weight=_FEW,
    case=steps(),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def updates_have_the_dtypes_of_the_gradients(lib, case):
    same(dtypes(traced(case).updates), dtypes(case.params))


@law(
    "None is no parameter, and nodes do not matter: a tree is updated as the list of its leaves",
    source=f"{CODE}_src/base.py#L36",
    level="should",
    weight=_FEW,
    case=steps(listed=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def a_tree_is_updated_as_its_leaves(lib, case):
    same(whole_program(case, "listed_"), whole_program(case))


@law(
    "update is pure: traced twice it is one program, and its arguments stay what they are",
    source=_PURE,
    weight=_FEW,
    case=steps(),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def update_is_pure(lib, case):
    given = (case.grads, case.tx.init(case.params), case.params)
    before = jtu.tree_map(lambda leaf: leaf, given)
    once, again = (program(lambda: case.tx.update(*given, **case.extra)) for _ in range(2))
    same(once, again)
    same(given, before, identical=True)


@law(
    "a transformation with support for extra arguments takes those that it does not need",
    source=f"{DOCS}transformations.html#optax.GradientTransformationExtraArgs",
    needs={"ignores_extra_arguments"},
    weight=_FEW,
    case=steps(),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def unneeded_arguments_are_taken(lib, case):
    """That no step raises is the law."""
    traced(case, tx=lib.with_extra_args_support(case.tx), unneeded=1.0)
