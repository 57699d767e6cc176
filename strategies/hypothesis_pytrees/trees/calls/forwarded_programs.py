"""Compiled functions and loops of which parts are unused, constant or handed on, as text."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .ordered_calls import PYTHON, STAGED, STEPS, draw_program

_ARRAYS = tuple(
    Kind("leaf", text, (), (f"leaf:{name}",))
    for name, text in (
        ("float32", "jnp.float32([1, 2, 3])"),
        ("float32-scalar", "jnp.float32(2)"),
        ("int32", "jnp.int32([[1, 2]])"),
        ("bool", "jnp.asarray([True, False])"),
        ("empty", "jnp.zeros((0, 2), jnp.float32)"),
        ("key", "jax.random.key(0)"),
    )
)
_FLOATS = tuple(
    Kind("leaf", text, (), (f"leaf:{name}",))
    for name, text in (
        ("float32", "jnp.float32([1, 2, 3])"),
        ("float32-scalar", "jnp.float32(2)"),
        ("numpy-float32", "np.float32([[1], [2]])"),
        ("empty", "jnp.zeros((0, 2), jnp.float32)"),
    )
)
_SCANNED = """\
def scanned_twice(held):
    return jax.lax.scan(lambda held, _: (held, None), held, None, length=2)[0]
"""
# Parts of a result.
_PARTS = (
    ("forwarded", "first"),
    ("forwarded", "second"),
    ("forwarded-part", "second[0]"),
    ("computed", "first[0] + second[0]"),
    ("computed-tree", "jtu.tree_map(lambda leaf: leaf[None], first)"),
    ("again", "(second, second[0])"),
    ("constant", "np.float32([1, 2])"),
    ("constant", "jnp.zeros((3,), jnp.int32)"),
    ("number", "2"),
    ("none", "None"),
)
_INSIDE = (
    ("plain", "function"),
    ("jit", "jax.jit(function)"),
    ("jit-dropped", "(lambda *args: jax.jit(lambda *args: (function(*args), 1))(*args)[0])"),
    ("cond", "(lambda *args: jax.lax.cond(True, function, function, *args))"),
    ("checkpoint", "jax.checkpoint(function)"),
    (
        "scan",
        "(lambda *args: scanned_twice(function(*args)))",
    ),
)
_DONATED = (
    ((), "{}"),
    ((), "{}"),
    ((0,), "dict(donate_argnums=0)"),
    ((1,), "dict(donate_argnums=(1,))"),
    ((0, 1), "dict(donate_argnums=(0, 1))"),
    ((1,), "dict(donate_argnames='second')"),
)
_CALLED = (
    ("call", "compiled(*args)"),
    ("call", "compiled(*args)"),
    ("lowered", "compiled.lower(*args).compile()(*args)"),
    ("in-grad", "jax.value_and_grad(lambda x: (x * 2, compiled(*args)), has_aux=True)(1.0)[0][1]"),
)


@st.composite
def forwarding_functions(draw: st.DrawFn) -> Recipe:
    """Bind `args`, a `function` of them, `options` of `jit`, and `call` of the compiled function.

    `kept` are the arguments that are not donated. Features: `part:<kind>`, `inside:<form>`,
    `donated:<numbers>`, `call:<form>`, `option:keep-unused`, `args:alias`.
    """
    scope = Scope()
    scope.define(_SCANNED)
    kinds = (*CONTAINERS, *NODES)
    for name in ("first", "second"):
        tree = draw_tree(draw, scope, leaves=pool(_ARRAYS), kinds=kinds, alias=False, max_leaves=3)
        scope.bind(name, f"[jnp.float32([4, 5]), {tree}]")
    parts = draw(st.lists(st.sampled_from(_PARTS), min_size=0, max_size=4))
    scope.note(*(f"part:{kind}" for kind, _ in parts))
    form, inside = draw(st.sampled_from(_INSIDE))
    scope.note(f"inside:{form}")
    scope.bind("function", f"lambda first, second: [{', '.join(text for _, text in parts)}]")
    if inside != "function":
        scope.bind("plain", "function")
        inside = inside.replace("function", "plain")
        scope.rebind("function", f"lambda first, second: {inside}(first, second)")
    donated, options = draw(st.sampled_from(_DONATED))
    scope.note(f"donated:{'-'.join(map(str, donated)) or 'none'}")
    keep = draw(st.booleans())
    scope.note(*(["option:keep-unused"] if keep else []))
    scope.bind("options", f"{options} | {{'keep_unused': True}}" if keep else options)
    alias = not donated and draw(st.booleans())
    scope.note(*(["args:alias"] if alias else []))
    scope.bind("args", "(first, first)" if alias else "(first, second)")
    scope.bind("kept", f"[args[at] for at in {[at for at in (0, 1) if at not in donated]}]")
    way, call = draw(st.sampled_from(_CALLED))
    scope.note(f"call:{way}")
    scope.bind("call", f"lambda compiled: {call}")
    return scope.recipe()


# What a step makes of `held`: two trees of one structure and a count.
_MOVES = (
    ("same", "held"),
    ("swap", "[held[1], held[0], held[2] + 1]"),
    ("again", "[held[0], held[0], held[2]]"),
    ("constant", "[constant, held[0], held[2]]"),
    ("constants", "[constant, constant, jnp.int32(5)]"),
    ("add", "[add(held[0], held[1]), held[1], held[2] + 1]"),
    ("add", "[held[1], add(held[1], held[0]), held[2]]"),
    ("stopped", "[held[1], jax.lax.stop_gradient(held[0]), held[2]]"),
)
_TAKEN = {
    "plain": "f(x)",
    "jit": "jax.jit(f)(x)",
    "jit-all": "jax.jit(f, keep_unused=True)(x)",
    "vmap": "jax.vmap(f)(rows)",
    "vmap-one": "jax.vmap(lambda one, other: f([one, other]), in_axes=(0, None))(rows[0], x[1])",
    "vmap-other": "jax.vmap(lambda one, other: f([one, other]), in_axes=(None, 0))(x[0], rows[1])",
    "jvp": "jax.jvp(f, (x,), (x,))",
    "jvp-one": "jax.jvp(lambda one: f([one, x[1]]), (x[0],), (x[0],))",
    "linearize": "jax.linearize(f, x)[1](x)",
    "grad": "jax.grad(total)(x)",
    "grad-one": "jax.grad(lambda other: total([x[0], other]))(x[1])",
    "grad-of-jit": "jax.grad(jax.jit(total))(x)",
    "grad-of-checkpoint": "jax.grad(jax.checkpoint(total))(x)",
    "vmap-of-grad": "jax.vmap(jax.grad(total))(rows)",
    "vmap-one-of-grad": (
        "jax.vmap(lambda one: jax.grad(lambda one: total([one, x[1]]))(one))(rows[0])"
    ),
    "vjp": "(lambda pair: pair[1](pair[0]))(jax.vjp(lambda x: f(x)[:2], x))",
}
_TAKE = """\
def taken_of_moves(f, x, take):
    def total(x):
        one, other, _ = f(x)
        pairs = zip(jtu.tree_leaves(one), jtu.tree_leaves(other))
        return sum((jnp.sum(a * 3 + b) for a, b in pairs), jnp.float32(0))

    rows = jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf + 1]), x)
    return take(f, jtu.tree_map(jnp.asarray, x), total, rows)
"""
_KNOWN = tuple(step for step in STEPS if step != "loop_while")


@st.composite
def forwarding_loops(draw: st.DrawFn) -> Recipe:
    """Bind `program` of steps which hand on parts of two trees, and how it is `taken`.

    Features: `move:<name>`, `step:<name>`, `way:<transformation>`.
    """
    scope = Scope()
    scope.define(STAGED, PYTHON, _TAKE)
    tree = draw_tree(draw, scope, leaves=pool(_FLOATS), kinds=(*CONTAINERS, *NODES), max_leaves=3)
    scope.bind("tree", f"[jnp.float32([3, 1]), {tree}]")
    scope.bind("x", "[tree, jtu.tree_map(lambda leaf: leaf * 2, tree)]")
    scope.bind("constant", "jtu.tree_map(lambda leaf: leaf * 0 + 7, tree)")
    scope.bind("add", "lambda *trees: jtu.tree_map(lambda one, other: one + other, *trees)")
    way = draw(st.sampled_from(tuple(_TAKEN)))
    scope.note(f"way:{way}")
    # A loop that does not know its length has no derivative in reverse mode.
    reverse = "grad" in way or way in ("vjp", "linearize")

    def move() -> str:
        name, text = draw(st.sampled_from(_MOVES))
        scope.note(f"move:{name}")
        return text

    text = draw_program(draw, scope, move, steps=_KNOWN if reverse else STEPS)
    scope.bind("program", f"lambda steps: lambda x: ({text})([*x, jnp.int32(0)])")
    scope.bind("staged", "StagedSteps()")
    scope.bind("python", "PythonSteps()")
    scope.bind("take", f"lambda f, x, total, rows: {_TAKEN[way]}")
    scope.bind("taken", "lambda f: taken_of_moves(f, x, take)")
    return scope.recipe()
