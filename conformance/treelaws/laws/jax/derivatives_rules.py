"""JAX: functions with rules of their own: registered again, composed, and as Taylor series."""

from __future__ import annotations

import importlib

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import draw_form, way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.calls.composed import LOOPED, RULED, SYMBOLIC, composed
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import same, true

from .derivatives import _arrays, law

_API = "https://docs.jax.dev/en/latest/_autosummary"
# Each registers a rule by which the slope is `slope`, whatever the function is.
_FORWARD = "lambda x: (2 * x, None)"
_BACKWARD = "lambda kept, slopes: (slope * slopes,)"
_JVP = "lambda primals, tangents: (2 * primals[0], slope * tangents[0])"
_REGISTER = {
    "custom_jvp": (
        way("defjvp", f"jax.custom_jvp.defjvp(custom, {_JVP})"),
        way("defjvp-zeros", f"jax.custom_jvp.defjvp(custom, {_JVP}, symbolic_zeros=True)"),
        way("defjvps", "jax.custom_jvp.defjvps(custom, lambda tangent, *_: slope * tangent)"),
    ),
    "custom_vjp": (
        way("defvjp", f"jax.custom_vjp.defvjp(custom, {_FORWARD}, {_BACKWARD})"),
        way(
            "defvjp-zeros",
            "jax.custom_vjp.defvjp(custom, lambda x: (2 * x.value, None), "
            f"{_BACKWARD}, symbolic_zeros=True)",
        ),
        way(
            "defvjp-remat",
            f"jax.custom_vjp.defvjp(custom, {_FORWARD}, {_BACKWARD}, optimize_remat=True)",
        ),
        way(
            "defvjp-logs",
            f"jax.custom_vjp.defvjp_with_logs(custom, {_FORWARD}, "
            "lambda kept, slopes: ((slope * slopes,), {'slopes': slopes}))",
        ),
    ),
    "custom_batching.custom_vmap": (
        way("def-vmap", "custom.def_vmap(lambda size, batched, x: (slope * x, True))"),
    ),
}
_TAKEN = {
    "custom_jvp": ("jax.jvp(custom, (x,), (x,))[1]", "jax.grad(custom)(x) * x"),
    "custom_vjp": ("jax.grad(custom)(x) * x", "jax.vjp(custom, x)[1](x)[0]"),
    "custom_batching.custom_vmap": ("jax.vmap(custom)(x[None])[0]",),
}


@st.composite
def _registrations(draw: st.DrawFn) -> Recipe:
    """Bind `make`, a decorator, `rules` that are registered in turn, and `take`.

    `take` gives the last slope times a number. Feature: `rule:<way>-after-<way>` for the last two.
    """
    scope = Scope()
    name = draw(st.sampled_from(tuple(_REGISTER)))
    scope.bind("make", f"lambda lib: lib.{name}(lambda x: 2 * x)")
    drawn = draw(st.lists(st.sampled_from(available(_REGISTER[name])), min_size=1, max_size=3))
    slopes = draw(st.permutations((3.0, 5.0, 7.0)))
    ways = [one.features[0][4:] for one in drawn]
    scope.note(*(f"rule:{one}-before" for one in ways[:-1]), f"rule:{ways[-1]}-last")
    pairs = zip(drawn, slopes, strict=False)
    texts = [
        f"lambda custom, slope={slope}: {_in_forms(draw, scope, one.template)}"
        for one, slope in pairs
    ]
    scope.bind("rules", f"[{', '.join(texts)}]")
    scope.bind("slope", str(slopes[len(drawn) - 1]))
    scope.bind("take", f"lambda custom, x: {draw(st.sampled_from(_TAKEN[name]))}")
    return scope.recipe()


def _in_forms(draw: st.DrawFn, scope: Scope, text: str) -> str:
    """Write a registration with each of its rules in a form."""
    for rule in (_FORWARD, _BACKWARD, _JVP):
        if rule in text:
            text = text.replace(rule, draw_form(draw, scope, f"({rule})"))
    return text


@law(
    "of several rules that are registered for a function, in whatever form, the last is used",
    source=f"{_API}/jax.custom_vjp.defvjp.html",
    level="should",
    case=_registrations(),
)
def the_last_rule_is_used(lib, case):
    """Each of these methods defines "a custom rule for the function represented"."""
    custom = case.make(lib)
    for rule in case.rules:
        rule(custom)
    found = case.take(custom, jnp.float32(2.0))
    same(jnp.asarray(found), jnp.float32(2 * case.slope))


@law(
    "a function with a rule of its own that says what the function does is the function under "
    "every composition of transformations, also where trees hold None",
    source=f"{_API}/jax.custom_batching.custom_vmap.html",
    level="should",
    case=composed(RULED) | composed(SYMBOLIC, trees="constant"),
)
def a_ruled_function_is_the_function_when_composed(lib, case):
    x = jnp.float32([[1.0, 2.0], [3.0, 4.0]])
    same(_arrays(case.of(case.ruled)(x)), _arrays(case.of(case.plain)(x)))


@law(
    "a loop or a branch computes what the same steps compute without it under every composition of "
    "transformations that it has derivatives for, also where its carry holds counts and its result "
    "has no derivative",
    source="https://docs.jax.dev/en/latest/control-flow.html",
    level="should",
    case=composed(LOOPED),
)
def a_loop_is_its_steps_when_composed(lib, case):
    x = jnp.float32([[1.0, 2.0], [3.0, 4.0]])
    same(_arrays(case.of(case.ruled)(x)), _arrays(case.of(case.plain)(x)))


_POINTS = tuple(
    Kind("leaf", text, (), (f"leaf:{name}",))
    for name, text in (
        ("float32", "jnp.float32([0.5, 1.0])"),
        ("float32-scalar", "jnp.float32(0.25)"),
        ("numpy-float32", "np.float32([[0.5]])"),
    )
)
_FUNCTIONS = (
    "lambda *trees: jtu.tree_map(jnp.sin, trees[0])",
    "lambda *trees: [jtu.tree_map(lambda leaf: leaf * leaf + 1, tree) for tree in trees]",
    "lambda *trees: {'sum': sum((jnp.sum(leaf) for leaf in jtu.tree_leaves(trees)), 0.0)}",
    "lambda *trees: (jtu.tree_map(jnp.exp, trees[-1]), None)",
)


@st.composite
def _series(draw: st.DrawFn) -> Recipe:
    """Bind `function`, `primals` and `series` of `order` terms, each term as a primal.

    Feature: `primals:containers` if a primal is a container.
    """
    scope = Scope()
    count, containers = draw(st.integers(1, 2)), draw(st.booleans())
    names = [scope.bind(f"point{at}", _point(draw, scope, containers)) for at in range(count)]
    found = [names_of(scope)[name] for name in names]
    if not jtu.tree_leaves(found):
        scope.rebind(names[0], f"[{names[0]}, jnp.float32(0.5)]")
    scope.note(*([] if jtu.all_leaves(found) and len(found) else ["primals:containers"]))
    scope.bind("primals", f"({', '.join(names)},)")
    order = draw(st.integers(1, 2))
    terms = [[f"jtu.tree_map(lambda leaf: leaf * {0.5 + at}, {name})" for at in range(order)]
             for name in names]  # fmt: skip
    each = [f"[{', '.join(of_one)}]" for of_one in terms]
    scope.bind("series", f"({', '.join(each)},)")
    scope.bind("function", draw(st.sampled_from(_FUNCTIONS)))
    return scope.recipe()


def _point(draw: st.DrawFn, scope: Scope, containers: bool) -> str:
    if not containers:
        return draw(st.sampled_from(_POINTS)).template
    return draw_tree(draw, scope, leaves=pool(_POINTS), kinds=CONTAINERS, max_leaves=3, alias=False)


@law(
    "`jet` gives the value and the first term of the Taylor series of a function whose arguments "
    "and results are arrays or containers of them",
    source="https://docs.jax.dev/en/latest/jax.experimental.jet.html",
    case=_series(),
    level="should",
)
def jet_takes_and_gives_containers(lib, case):
    # JAX loads this submodule only if it is imported by name.
    importlib.import_module("jax.experimental.jet")
    found, terms = lib.experimental.jet.jet(case.function, case.primals, case.series)
    first = tuple(each[0] for each in case.series)
    wanted = jax.jvp(case.function, *map(_points, (case.primals, first)))
    same(*map(_shapes, ((found, _firsts(terms, found)), wanted)))
    _close((found, _firsts(terms, found)), wanted)


def _points(trees):
    return jtu.tree_map(jnp.asarray, trees)


def _firsts(terms, found):
    """Return the first term of each leaf of a result."""
    structure = jtu.tree_structure(found)
    return structure.unflatten([each[0] for each in structure.flatten_up_to(terms)])


def _shapes(trees):
    return jtu.tree_map(jnp.shape, trees)


def _close(found, wanted):
    for one, other in zip(jtu.tree_leaves(found), jtu.tree_leaves(wanted), strict=True):
        true(bool(jnp.allclose(one, other, rtol=1e-3)), one, f"{other}, or close to it")
