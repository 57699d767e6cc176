"""Equinox: all transformed functions, their methods, names, keywords, leaves and nesting."""

from __future__ import annotations

import functools
import operator
from typing import Any

import jax
import jax.numpy as jnp
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.contexts import contexts
from hypothesis_pytrees.trees.structures import structures
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

from ._functions import doubled, energy, inexact_leaves
from ._keywords import keywords

law = Topic("equinox.wrappers", "Equinox: transformed functions", family="equinox")
_SITE = "https://docs.kidger.site/equinox/api/"
_DOCS = f"{_SITE}transformations/"
# Quote: "If your models only use JAX arrays, then filter_{jit,grad,...} will do exactly the same as
# jax.{jit,grad,...}".
_AS_JAX = "https://docs.kidger.site/equinox/all-of-equinox/#2-filtering"
_WRAPPER = f"{_SITE}module/advanced_fields/#equinox.module_update_wrapper"
# Quote of the maintainer about methods: "Regardless of whether you're looking at the wrapped
# function or the arguments passed to it: these are all just treated as PyTrees".
_METHODS = "https://github.com/jax-ml/jax/issues/9672"

# Each transformation, with options, whose result takes the same arguments as the function.
_TRANSFORMS = (
    ("filter_jit", "{}"),
    ("filter_jit", "{'donate': 'none'}"),
    ("filter_grad", "{}"),
    ("filter_value_and_grad", "{}"),
    ("filter_vmap", "{}"),
    ("filter_vmap", "{'in_axes': None, 'axis_size': 2}"),
    ("filter_vmap", "{'in_axes': None, 'axis_size': 2, 'out_axes': -1}"),
    ("filter_checkpoint", "{}"),
    ("filter_checkpoint", "{'prevent_cse': False}"),
    ("filter_pmap", "{'in_axes': None, 'axis_size': 1}"),
)
_NAMES = frozenset(name for name, _ in _TRANSFORMS)
_JACOBIANS = (("filter_jacfwd", "{}"), ("filter_jacrev", "{}"), ("filter_hessian", "{}"))
# Decorators of which no document says that they make methods, and two of which one does.
_DECORATORS = (
    *_JACOBIANS,
    ("debug.assert_max_traces", "{'max_traces': None}"),
    ("debug.assert_max_traces", "{'max_traces': 9}"),
    ("filter_jit", "{}"),
    ("filter_checkpoint", "{}"),
)
_WITH_KEYWORDS = (
    *(pair for pair in _TRANSFORMS if pair[1] == "{}" and pair[0] != "filter_vmap"),
    _JACOBIANS[0],
)
_VALUES = ("[1.0, 2.0]", "[0.5, -0.0]", "[0.0, -3.0]")


def _actor(name: str, options: str) -> str:
    """Return the text of a class that has a method both transformed and plain."""
    given = f"(**{options})" if options != "{}" else ""
    return f"""\
class {_class_name(name, options)}(eqx.Module):
    weight: typing.Any
    power: int = eqx.field(static=True, default=2)

    @eqx.{name}{given}
    def act(self, x):
        return jnp.sum(self.weight * x) * self.power

    def plain(self, x):
        return jnp.sum(self.weight * x) * self.power

    def __call__(self, x):
        return jnp.sum(self.weight * x) * self.power
"""


def _class_name(name: str, options: str) -> str:
    letters = "".join(letter if letter.isalnum() else "_" for letter in f"{name}_{options}")
    return letters.title().replace("_", "")


@st.composite
def _actors(draw: st.DrawFn, transforms: tuple[tuple[str, str], ...] = _TRANSFORMS) -> Recipe:
    """Bind a transformation, its options, a Module with a transformed method, and an argument."""
    scope = Scope()
    name, options = transforms[draw(st.integers(0, len(transforms) - 1))]
    scope.note(f"transform:{name.removeprefix('debug.')}")
    scope.define(_actor(name, options))
    weight, x = (f"jax.device_put(np.float32({draw(st.sampled_from(_VALUES))}))" for _ in "wx")
    scope.bind("name", repr(name))
    scope.bind("options", options)
    scope.bind("actor", f"{_class_name(name, options)}({weight}, {draw(st.integers(2, 3))})")
    scope.bind("x", x)
    return scope.recipe()


@st.composite
def _keyworded(draw: st.DrawFn) -> Recipe:
    """Bind a transformation, the name of a keyword argument, and a tree."""
    scope = Scope()
    name, _ = _WITH_KEYWORDS[draw(st.integers(0, len(_WITH_KEYWORDS) - 1))]
    scope.note(f"transform:{name}")
    scope.bind("name", repr(name))
    scope.bind("keyword", draw(keywords()))
    scope.bind("tree", draw(structures(finite=True, inexact=True)))
    return scope.recipe()


@st.composite
def _nested(draw: st.DrawFn) -> Recipe:
    """Bind the name of a transformation, a context to put it into, and a tree of arrays."""
    scope = Scope()
    name = draw(st.sampled_from(["filter_grad", "filter_vmap", "filter_checkpoint", "filter_jit"]))
    scope.note(f"transform:{name}")
    scope.bind("name", repr(name))
    scope.bind("context", draw(contexts()))
    options = {"statics": False, "integers": False, "scalars": False, "finite": True}
    scope.bind("tree", draw(structures(**options)))
    return scope.recipe()


@law(
    "a transformed method equals the transformed function of `self` and the arguments",
    source=_METHODS,
    needs=_NAMES,
    case=_actors(),
    level="should",
)
def transformed_method_is_a_function_of_self(lib, case):
    wanted = getattr(lib, case.name)(_weigh, **case.options)(case.actor, case.x)
    same(case.actor.act(case.x), wanted)
    same(type(case.actor).act(case.actor, case.x), wanted)


@law(
    "a Jacobian or `assert_max_traces` used as a decorator makes a method, as the other "
    "transformations do",
    source=_METHODS,
    needs={name for name, _ in _DECORATORS},
    case=_actors(_DECORATORS),
    level="observed",
)
def jacobian_of_a_method_is_a_function_of_self(lib, case):
    wanted = operator.attrgetter(case.name)(lib)(_weigh, **case.options)(case.actor, case.x)
    same(case.actor.act(case.x), wanted)


@law(
    "a transformed bound method equals the transformed function of its arguments",
    source=_METHODS,
    needs=_NAMES,
    case=_actors(),
    level="should",
)
def bound_method_is_transformed_as_a_function(lib, case):
    transform = functools.partial(getattr(lib, case.name), **case.options)
    same(transform(case.actor.plain)(case.x), transform(lambda x: _weigh(case.actor, x))(case.x))


@law(
    "transforming a partial function equals transforming the function of its remaining arguments",
    source=_DOCS,
    needs=_NAMES | {"Partial"},
    case=_actors(),
    level="should",
)
def partial_function_is_transformed_as_a_function(lib, case):
    transform = functools.partial(getattr(lib, case.name), **case.options)
    wanted = transform(lambda x: _weigh(case.actor, x))(case.x)
    same(transform(functools.partial(_weigh, case.actor))(case.x), wanted)
    same(transform(lib.Partial(_weigh, case.actor))(case.x), wanted)


@law(
    "a transformation that gets only options returns a decorator",
    source=_DOCS,
    needs=_NAMES,
    case=_actors(),
)
def options_alone_make_a_decorator(lib, case):
    transform = getattr(lib, case.name)
    decorated = transform(**case.options)(_weigh)(case.actor, case.x)
    same(decorated, transform(_weigh, **case.options)(case.actor, case.x))


@law(
    "a transformed function accepts keyword arguments of any name",
    source=f"{_DOCS}#equinox.filter_grad",
    needs={name for name, _ in _WITH_KEYWORDS},
    case=_keyworded(),
    level="should",
)
def keyword_arguments_have_any_name(lib, case):
    transformed = getattr(lib, case.name)(_scaled_energy)
    wanted = getattr(lib, case.name)(lambda tree: _scaled_energy(tree, option=3.0))(case.tree)
    same(transformed(case.tree, **{case.keyword: 3.0}), wanted)


@law(
    "a transformed function keeps the name, the module, the docstring and the annotations of the"
    " function",
    source=_WRAPPER,
    needs=_NAMES,
    level="should",
    case=_actors(),
)
def transformed_function_keeps_its_name(lib, case):
    transformed = getattr(lib, case.name)(_weigh, **case.options)
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__"):
        same(getattr(transformed, attribute), getattr(_weigh, attribute))
    same(transformed.__wrapped__, _weigh, identical=True)


@law(
    "the arrays of a function are leaves of the transformed function",
    source=_WRAPPER,
    needs=_NAMES,
    case=_actors(),
    level="should",
)
def transformed_function_holds_the_functions_arrays(lib, case):
    transformed = getattr(lib, case.name)(case.actor, **case.options)
    same(inexact_leaves(transformed), inexact_leaves(case.actor), identical=True)


@law(
    "mapping over a transformed function equals transforming the mapped function",
    source=_WRAPPER,
    needs=_NAMES,
    case=_actors(),
    level="should",
    parents=(transformed_function_holds_the_functions_arrays,),
)
def mapped_wrapper_transforms_the_mapped_function(lib, case):
    transform = functools.partial(getattr(lib, case.name), **case.options)
    same(doubled(transform(case.actor))(case.x), transform(doubled(case.actor))(case.x))


@law(
    "a transformed function raises TypeError for arguments that the function does not accept",
    source=_DOCS,
    needs={"filter_jit", "filter_checkpoint", "filter_vmap"},
    case=_actors(),
    level="should",
)
def arguments_that_do_not_fit_are_refused(lib, case):
    transformed = getattr(lib, case.name)(_weigh, **case.options)
    refuses(TypeError, lambda: transformed(case.actor))
    refuses(TypeError, lambda: transformed(case.actor, case.x, case.x))


@law(
    "inside any JAX transformation, a function that calls `filter_grad`, `filter_vmap` or"
    " `filter_checkpoint` traces to the same result as with their JAX counterparts",
    source=_AS_JAX,
    needs={"filter_grad", "filter_vmap", "filter_checkpoint"},
    case=_nested(),
)
def transformations_nest_as_those_of_jax(lib, case):
    ours, theirs = _functions_of_both(lib)[case.name]
    wanted = jax.eval_shape(case.context(theirs), case.tree)
    same(jax.eval_shape(case.context(lambda tree: ours(tree)), case.tree), wanted)


@law(
    "`jax.jit`, `jax.checkpoint`, `cond` and the other JAX transformations accept a transformed"
    " function",
    source=_AS_JAX,
    needs={"filter_grad", "filter_vmap", "filter_checkpoint"},
    case=_nested(),
    parents=(transformations_nest_as_those_of_jax,),
)
def transformed_function_goes_into_transformations_of_jax(lib, case):
    ours, theirs = _functions_of_both(lib)[case.name]
    wanted = jax.eval_shape(case.context(theirs), case.tree)
    same(jax.eval_shape(case.context(ours), case.tree), wanted)


@law(
    "Equinox transformations accept functions that are already transformed",
    source=_DOCS,
    needs=_NAMES,
    case=_actors(),
    level="should",
)
def transformations_nest_in_each_other(lib, case):
    inner = getattr(lib, case.name)(_weigh, **case.options)
    wanted = inner(case.actor, case.x)
    same(lib.filter_jit(inner)(case.actor, case.x), wanted)
    same(lib.filter_checkpoint(inner)(case.actor, case.x), wanted)
    same(lib.filter_vmap(inner, in_axes=None, out_axes=None)(case.actor, case.x), wanted)


def _functions_of_both(lib):
    """Return functions of a tree by transformation: one by Equinox, one by JAX."""
    return {
        "filter_grad": (lib.filter_grad(energy), jax.grad(energy)),
        "filter_vmap": (lib.filter_vmap(doubled), jax.vmap(doubled)),
        "filter_checkpoint": (lib.filter_checkpoint(doubled), jax.checkpoint(doubled)),
        "filter_jit": (lib.filter_jit(lib.filter_grad(energy)), jax.jit(jax.grad(energy))),
    }


def _weigh(self: Any, x: jax.Array) -> jax.Array:
    """Weigh x."""
    return jnp.sum(self.weight * x) * self.power


def _scaled_energy(tree, **options):
    return energy(tree) * sum(options.values())
