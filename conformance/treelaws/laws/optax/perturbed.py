"""Optax: functions that noise makes smooth."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import Since
from hypothesis_pytrees.optax.rules.formulas import bind_steps
from treelaws.core.law import Topic
from treelaws.equality import true

from ._inputs import DOCS, close, types

law = Topic("optax.perturbed", "Optax: perturbed functions", family="optax")
_CODE = "https://github.com/google-deepmind/optax/blob/v{}/optax/perturbations/_make_pert.py"
_SHAPES = ("()", "(3,)", "(2, 3)", "(1, 3)", "(2, 1, 3)")
_CALLS = (
    Kind("call", "perturbed(key, tree)", (), (),
         needs=(Since("a key as the first argument", "optax>=0.2.5", _CODE.format("0.2.5")),)),
    Kind("call", "perturbed(tree, key)", (), (),
         needs=(Since("a key as the last argument", "optax<0.2.5", _CODE.format("0.2.4")),)),
)  # fmt: skip
_FUNCTIONS = (
    "lambda tree: tree",
    "lambda tree: sum(jnp.sum(jnp.sign(leaf)) for leaf in jtu.tree_leaves(tree))",
)
_WITHOUT = ", use_baseline=False"
_BASELINE = Since("an option `use_baseline`", "optax>=0.2.5", _CODE.format("0.2.5"))
_OPTIONS = (
    *(
        Kind("option", text, (), ())
        for text in ("", ", sigma=0.5", ", noise=optax.perturbations.Normal()")
    ),
    Kind("option", _WITHOUT, (), (), needs=(_BASELINE,)),
    Kind("option", f", sigma=0.5{_WITHOUT}", (), (), needs=(_BASELINE,)),
)


@st.composite
def _perturbed(draw: st.DrawFn, *, both: bool = False) -> Recipe:
    """Bind `run`, which calls a perturbed function with a key and a tree, `key` and `params`.

    Args:
        both: also bind `without`, which is `run` without a baseline; default `False`.
    """
    scope = Scope()
    bind_steps(draw, scope, most=1, shapes=_SHAPES)
    function = draw(st.sampled_from(_FUNCTIONS))
    options = draw(st.sampled_from(available(_OPTIONS))).template
    scope.bind("function", function)
    (call,) = available(_CALLS)
    make = "optax.perturbations.make_perturbed_fun(function, 5$)"
    if both:
        options = options.removesuffix(_WITHOUT)
        scope.bind("plain", make.replace("$", options + _WITHOUT))
        scope.bind("without", f"lambda key, tree: {call.template.replace('perturbed', 'plain')}")
    scope.bind("perturbed", make.replace("$", options))
    scope.bind("run", f"lambda key, tree: {call.template}")
    scope.bind("key", f"jax.random.{draw(st.sampled_from(('key', 'PRNGKey')))}(3)")
    return scope.recipe()


@st.composite
def _linear(draw: st.DrawFn) -> Recipe:
    """Bind `run`, as `_perturbed` does, of a linear function with `slopes`, and many `keys`."""
    scope = Scope()
    slopes = draw(st.lists(st.sampled_from((1.0, -2.0, 0.5)), min_size=1, max_size=2))
    scope.bind("slopes", f"jnp.array({slopes if draw(st.booleans()) else slopes[0]})")
    scope.bind("params", "{'a': jnp.zeros_like(slopes)}")
    scope.bind("function", "lambda tree: jnp.sum(slopes * tree['a'])")
    noise = draw(st.sampled_from(("", ", noise=optax.perturbations.Normal()")))
    options = f"sigma={draw(st.sampled_from((0.1, 0.3, 3.0)))}{noise}"
    options += draw(st.sampled_from(available(_OPTIONS[:1] + _OPTIONS[-2:-1]))).template
    scope.bind("perturbed", f"optax.perturbations.make_perturbed_fun(function, 1, {options})")
    (call,) = available(_CALLS)
    scope.bind("run", f"lambda key, tree: {call.template}")
    scope.bind("keys", f"jax.random.split(jax.random.key({draw(st.integers(0, 3))}), 400)")
    return scope.recipe()


@law(
    "a perturbed function gives, for trees with arrays of every rank, results of the types of the "
    "function, and for one key the same results in each call and under `jit`",
    source=f"{DOCS}perturbations.html#optax.perturbations.make_perturbed_fun",
    level="should",
    needs={"perturbations.make_perturbed_fun"},
    case=_perturbed(),
)
def a_key_gives_the_perturbed_results(lib, case):
    got = case.run(case.key, case.params)
    close(got, case.run(case.key, case.params))
    close(jax.jit(case.run)(case.key, case.params), got)
    wanted = types(jax.eval_shape(case.function, case.params))
    true(types(got) == wanted, types(got), f"{wanted}")


@law(
    "a perturbed function, also one that has no derivative, has finite gradients of the types of "
    "its tree, with arrays of every rank, and for one key the same ones in each call",
    source=f"{DOCS}perturbations.html#optax.perturbations.make_perturbed_fun",
    level="should",
    needs={"perturbations.make_perturbed_fun"},
    case=_perturbed(),
    parents=(a_key_gives_the_perturbed_results,),
)
def perturbed_functions_have_gradients(lib, case):
    total = lambda tree: sum(jnp.sum(leaf) for leaf in jtu.tree_leaves(case.run(case.key, tree)))
    got = jax.grad(total)(case.params)
    true(types(got) == types(case.params), types(got), f"{types(case.params)}")
    finite = [bool(jnp.isfinite(leaf).all()) for leaf in jtu.tree_leaves(got)]
    true(all(finite), got, "finite numbers")
    close(jax.grad(total)(case.params), got)


@law(
    "`use_baseline=False` changes no value of a perturbed function, for trees with arrays of every "
    "rank",
    # "Use the value of the function at the unperturbed input as a baseline for variance reduction."
    # The values are means over samples of the function itself, by its formula.
    source=f"{DOCS}perturbations.html#optax.perturbations.make_perturbed_fun",
    level="should",
    needs={"perturbations.make_perturbed_fun(use_baseline)"},
    case=_perturbed(both=True),
    parents=(a_key_gives_the_perturbed_results,),
)
def a_baseline_changes_no_value(lib, case):
    close(case.without(case.key, case.params), case.run(case.key, case.params))


@law(
    "the mean of the gradients that 400 keys give for a perturbed linear function of one or two "
    "numbers is near the slopes of the function, for noise of the scales 0.1, 0.3 and 3",
    source=f"{DOCS}perturbations.html#optax.perturbations.make_perturbed_fun",
    level="should",
    needs={"perturbations.make_perturbed_fun"},
    case=_linear(),
    parents=(perturbed_functions_have_gradients,),
)
def slopes_of_linear_functions_are_estimated(lib, case):
    slope = jax.grad(lambda tree, key: case.run(key, tree))
    got = jax.vmap(lambda key: slope(case.params, key))(case.keys)["a"].mean(axis=0)
    # Over these keys and slopes, a mean is at most 0.2 away, times the largest slope.
    near = jnp.abs(got - case.slopes) < 0.6 * jnp.max(jnp.abs(case.slopes))
    true(bool(near.all()), got, f"about {case.slopes}")
