"""Idioms: initialising the optimiser, and freezing a part of a model."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, trees
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, OBJECTS, PRNG_KEYS, PYTHON_SCALARS, pool
from hypothesis_pytrees.trees.selectors import draw_where
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._idiom import Idiom, Problem, Text

law = Topic("recipes.training", "Idioms: optim.init and frozen parts", family="equinox")
_FAQ = "https://docs.kidger.site/equinox/faq/#optax-throwing-a-typeerror"
_GRAD = "https://docs.kidger.site/equinox/api/transformations/#equinox.filter_grad"
_FROZEN = "https://docs.kidger.site/equinox/examples/frozen_layer/"
_ISSUES = "https://github.com/patrick-kidger/equinox/issues"
_ABSTRACT = "leaf:shape-dtype-struct"
_OPTIMISERS = (
    "optax.sgd(0.1)",
    "optax.adam(0.1)",
    "optax.adamw(0.1)",
    "optax.sgd(0.1, momentum=0.9)",
    "optax.chain(optax.clip_by_global_norm(1.0), optax.lion(0.1))",
)
# filter_eval_shape traces only JAX arrays: NumPy arrays are constants of a model.
_LEAVES = pool(
    (
        *JAX_ARRAYS,
        *PRNG_KEYS,
        *PYTHON_SCALARS,
        *(kind for kind in OBJECTS if not {"leaf:str-array", _ABSTRACT} & set(kind.features)),
    )
)
# One shape, since the steps of an optimiser are compiled for each shape.
_NAMES = ("leaf:float32", "leaf:function", "leaf:int", "leaf:str")
_ONE_SHAPE = pool(
    tuple(k for k in (*JAX_ARRAYS, *PYTHON_SCALARS, *OBJECTS) if k.features[0] in _NAMES)
)


@st.composite
def _trainings(
    draw: st.DrawFn,
    drawn: st.SearchStrategy[Recipe] = _LEAVES,
    *,
    optimiser: bool = True,
    frozen: bool = False,
) -> Recipe:
    """Bind `tree`; `optim` if `optimiser`; `where` and its `positions` if `frozen`.

    The tree has at least one parameter: without one there is nothing to optimise.
    """
    scope = Scope()
    inner = scope.include(draw(trees(drawn, max_leaves=4)))
    tree = scope.bind("tree", f"[jax.device_put(np.float32([1.0, 2.0])), {inner}]")
    if frozen:
        where = draw_where(draw, scope, tree, subtrees=False, positions=False)
        scope.bind("positions", repr([place.leaf_order for place in where.targets]))
    if optimiser:
        scope.bind("optim", draw(st.sampled_from(_OPTIMISERS)))
    return scope.recipe()


@law(
    "`filter_grad` returns gradients with the structure of `filter(model, is_inexact_array)`",
    source=_GRAD,
    needs={"filter_grad", "filter", "is_inexact_array", "filter_eval_shape"},
    case=_trainings(optimiser=False),
)
def gradients_have_the_structure_of_the_inexact_arrays(lib, case):
    """The model may also hold functions, integers, text and keys."""
    grads = lib.filter_eval_shape(lib.filter_grad(_loss(lib)), case.tree)
    wanted = jtu.tree_structure(lib.filter(case.tree, lib.is_inexact_array))
    equal(jtu.tree_structure(grads), wanted)


@law(
    "an optimiser initialised with `filter(model, is_inexact_array)` accepts every gradient of "
    "`filter_grad`",
    source=_FAQ,
    needs={"filter_grad", "apply_updates", "is_inexact_array", "filter_eval_shape", "optax"},
    case=_trainings(),
    parents=[gradients_have_the_structure_of_the_inexact_arrays],
)
def init_on_the_inexact_arrays_fits_every_update(lib, case):
    """`init`, `update` and `apply_updates` raise nothing and keep the structures."""

    def step(model):
        params, grads = lib.filter(model, lib.is_inexact_array), lib.filter_grad(_loss(lib))(model)
        before = case.optim.init(params)
        updates, after = case.optim.update(grads, before, params)
        equal(jtu.tree_structure(after), jtu.tree_structure(before))
        changed = lib.apply_updates(model, updates)
        equal(jtu.tree_structure(changed), jtu.tree_structure(model))

    lib.filter_eval_shape(step, case.tree)


@law(
    "leaves that a spec by path keeps from the optimiser stay the same objects, even with weight "
    "decay",
    source=_FROZEN,
    needs={"partition", "combine", "tree_at", "apply_updates", "optax"},
    case=_trainings(_ONE_SHAPE, frozen=True),
)
def partition_freezes_against_weight_decay(lib, case):
    spec = jtu.tree_map(lib.is_inexact_array, case.tree)
    spec = lib.tree_at(case.where, spec, replace_fn=lambda _: False)
    trained, frozen = lib.partition(case.tree, spec)
    state = case.optim.init(trained)
    updates, _ = case.optim.update(jtu.tree_map(lambda x: x, trained), state, trained)
    model = lib.combine(lib.apply_updates(trained, updates), frozen)
    equal(jtu.tree_structure(model), jtu.tree_structure(case.tree))
    kept = [jtu.tree_leaves(model)[index] for index in case.positions]
    same(kept, [jtu.tree_leaves(case.tree)[index] for index in case.positions], identical=True)


def _loss(lib):
    def loss(model):
        arrays = jtu.tree_leaves(lib.filter(model, lib.is_inexact_array))
        return sum((jnp.abs(x).astype("float32").sum() for x in arrays), jnp.float32(0))

    return loss


_MODEL = """\
model = eqx.nn.MLP(1, 1, 2, 1, key=jax.random.PRNGKey(0))
"""
PROBLEM = Problem(
    "optim.init(model), and parts that stay frozen",
    "Models hold functions and integers as well as parameters, and some parameters must not change."
    " Which part of the model do you pass to the optimiser?",
    tuple(f"{_ISSUES}/{number}" for number in (364, 887, 69, 105, 441, 607, 772, 1234, 866)),
    (
        Idiom(
            "optim.init(eqx.filter(model, eqx.is_inexact_array))",
            "holds",
            "Choose this one: init gets exactly the leaves that filter_grad differentiates, so that"
            " every later update has the same structure.",
            (
                gradients_have_the_structure_of_the_inexact_arrays,
                init_on_the_inexact_arrays_fits_every_update,
            ),
            Text(
                "A step of training",
                _MODEL
                + """\
optim = optax.adamw(0.1)
params = eqx.filter(model, eqx.is_inexact_array)
state = optim.init(params)
grads = eqx.filter_grad(lambda model: model(jnp.ones(1))[0])(model)
updates, state = optim.update(grads, state, params)
model = eqx.apply_updates(model, updates)
""",
            ),
        ),
        Idiom(
            "partition with a spec by path, to freeze a part",
            "holds",
            "Pass only the trained half to the optimiser; it cannot change the other half, even"
            " with weight decay. eqx.combine makes the model from both halves.",
            (partition_freezes_against_weight_decay,),
        ),
        Idiom(
            "optim.init(eqx.filter(model, eqx.is_array))",
            "holds in part",
            "It holds only if each array of the model is floating or complex. init gets integer"
            " arrays too, and they have no gradient.",
            (gradients_have_the_structure_of_the_inexact_arrays,),
            None,
            (
                Text(
                    "A model with a table of integers",
                    """\
model = {'weight': jnp.ones(2), 'table': jnp.arange(2)}
optim = optax.adamw(0.1)
params = eqx.filter(model, eqx.is_array)
state = optim.init(params)
grads = eqx.filter_grad(lambda model: model['weight'].sum())(model)
optim.update(grads, state, params)
""",
                    "ValueError",
                ),
            ),
        ),
        Idiom(
            "optim.init(model)",
            "holds in part",
            "It holds only for a model that contains nothing but floating arrays.",
            (),
            None,
            (
                Text(
                    "A model that holds its activation",
                    f"{_MODEL}optax.adam(0.1).init(model)\n",
                    "TypeError",
                ),
            ),
        ),
        Idiom(
            "stop_gradient on the frozen part",
            "holds in part",
            "Its gradient is zero, but weight decay still changes it. Split it from the trained"
            " half with partition instead.",
            (),
            None,
            (
                Text(
                    "Weight decay changes a parameter with zero gradient",
                    """\
model = {'buffer': jnp.ones(2), 'weight': jnp.ones(2)}
optim = optax.adamw(0.1)
state = optim.init(model)


def loss(model):
    return (model['weight'] + jax.lax.stop_gradient(model['buffer'])).sum()


updates, state = optim.update(jax.grad(loss)(model), state, model)
model = optax.apply_updates(model, updates)
assert (model['buffer'] == 1).all()
""",
                    "AssertionError",
                ),
            ),
        ),
    ),
)
