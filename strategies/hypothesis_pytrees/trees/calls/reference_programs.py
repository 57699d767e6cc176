"""Programs that read and write mutable arrays in trees, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .ordered_calls import PYTHON, STAGED, STEPS, draw_program

_SHAPES = ("([1, 2, 3])", "([[1, 2], [3, 4]])", "([2, 1])")
# Sums and products of whole numbers are the same in any order, also where they overflow.
INTS = tuple(Kind("leaf", f"np.int32{shape}", (), ("leaf:int32",)) for shape in _SHAPES)
_FLOATS = tuple(Kind("leaf", f"np.float32{shape}", (), ("leaf:float32",)) for shape in _SHAPES)
# A value that is threaded by hand; it has the methods of a Ref that programs call.
_THREADED = """\
class ThreadedValue:
    def __init__(self, value):
        self.value = jnp.asarray(value)

    def __getitem__(self, index):
        return self.value[index]

    def __setitem__(self, index, value):
        self.value = self.value.at[index].set(value)


class ThreadedOperations:
    def get(self, ref, index):
        return ref[index]

    def set(self, ref, index, value):
        ref[index] = value

    def swap(self, ref, index, value):
        old = ref[index]
        ref[index] = value
        return old

    def addupdate(self, ref, index, value):
        ref[index] += value
"""
# What a step does with the Ref `r` and the number `held`, at an index; each gives the next number.
_OPERATIONS = (
    ("read", "held + jnp.sum(r[{0}])"),
    ("get", "held + jnp.sum(ops.get(r, {0}))"),
    ("write", "(r.__setitem__({0}, r[{0}] * 2 + held), held)[1]"),
    ("set", "(ops.set(r, {0}, r[{0}] * 2 + held), held + 1)[1]"),
    ("swap", "held + jnp.sum(ops.swap(r, {0}, r[{0}] * 2 + held))"),
    ("addupdate", "(ops.addupdate(r, {0}, r[{0}] * 2 + held), held * 2)[1]"),
)
_INDICES = ("...", "0", "-1", "slice(1, None)", "(slice(None),)", "np.array([1, 0])")
# How the program gets its Refs: `run(refs, held)` is the program.
_PASSED = {
    "plain": "lambda run, refs, held: run(refs, held)",
    "jit": "lambda run, refs, held: jax.jit(run)(refs, held)",
    "jit-closed": "lambda run, refs, held: jax.jit(lambda held: run(refs, held))(held)",
    "jit-twice": "lambda run, refs, held: jax.jit(lambda *args: jax.jit(run)(*args))(refs, held)",
    "cond": (
        "lambda run, refs, held: jax.lax.cond(held < 9, run, lambda refs, held: held, refs, held)"
    ),
    "switch": (
        "lambda run, refs, held: jax.lax.switch(1, [lambda refs, held: held, run], refs, held)"
    ),
    "scan-closed": (
        "lambda run, refs, held: "
        "jax.lax.scan(lambda held, _: (run(refs, held), None), held, None, length=1)[0]"
    ),
    "grad": (
        "lambda run, refs, held: "
        "jax.value_and_grad(lambda x, refs: (x * 2, run(refs, held)), has_aux=True)"
        "(1.0, refs)[0][1]"
    ),
}


def _bind_program(
    draw: st.DrawFn, scope: Scope, leaves: Sequence[Kind], steps: Sequence[str]
) -> None:
    """Bind `values`, and `program`, of operations, steps, a tree of Refs and a number."""
    scope.define(STAGED, PYTHON, _THREADED)
    tree = draw_tree(
        draw, scope, leaves=pool(leaves), kinds=(*CONTAINERS, *NODES), alias=False, max_leaves=4
    )
    scope.bind("values", f"[{leaves[0].template}, {tree}]")

    def operation() -> str:
        name, text = draw(st.sampled_from(_OPERATIONS))
        index = draw(st.sampled_from(_INDICES))
        scope.note(f"operation:{name}", f"index:{index}")
        scope.note(*([] if name in ("read", "get") else [f"written:{index}"]))
        return f"(lambda r: {text.format(index)})(refs[{draw(st.integers(0, 3))} % len(refs)])"

    text = draw_program(draw, scope, operation, steps=steps)
    taken = f"(lambda refs: ({text})(held))(jtu.tree_leaves(tree))"
    scope.bind("program", f"lambda ops, steps, tree, held: {taken}")
    scope.bind("staged", "StagedSteps()")
    scope.bind("python", "PythonSteps()")
    scope.bind("threaded", "ThreadedOperations()")
    scope.bind("thread", "lambda tree: jtu.tree_map(ThreadedValue, tree)")


# JAX says of the derivative of a loop with a branch that reads a Ref that it is not implemented.
_WITHOUT_BRANCHES = tuple(step for step in STEPS if step not in ("choose", "decide"))


@st.composite
def reference_programs(draw: st.DrawFn) -> Recipe:
    """Bind `values`, a `program` that reads and writes them, and how it is `passed` them.

    `staged` and `python` are what the program is written with. Features: `operation:<name>`,
    `index:<text>`, `step:<name>`, `passed:<form>`.
    """
    scope = Scope()
    form = draw(st.sampled_from(tuple(_PASSED)))
    scope.note(f"passed:{form}")
    _bind_program(draw, scope, INTS, _WITHOUT_BRANCHES if form == "grad" else STEPS)
    scope.bind("passed", _PASSED[form])
    return scope.recipe()


_KNOWN = ("loop_scan", "loop_for", "compiled", "then")
_WITH_BRANCHES = ("jit", "scan", "cond")
# A function that makes its Refs itself is pure: each takes it, a tree and a number.
_TRANSFORMS = {
    "jit": "jax.jit(f)(tree, held)",
    "grad": "jax.grad(total)(tree)",
    "grad-of-jit": "jax.grad(jax.jit(total))(tree)",
    "jvp": "jax.jvp(lambda tree: f(tree, held), (tree,), (tree,))",
    "linearize": "jax.linearize(lambda tree: f(tree, held), tree)[1](tree)",
    "vjp": "(lambda pair: pair[1](pair[0]))(jax.vjp(lambda tree: f(tree, held), tree))",
    "vmap": "jax.vmap(f)(rows, jnp.float32([1, 2]))",
    "vmap-of-tree": "jax.vmap(f, in_axes=(0, None))(rows, held)",
    "vmap-of-number": "jax.vmap(f, in_axes=(None, 0))(tree, jnp.float32([1, 2]))",
    "vmap-of-grad": "jax.vmap(jax.grad(total))(rows)",
    "scan": "jax.lax.scan(lambda held, row: (held, f(row, held)), held, rows)",
    "cond": "jax.lax.cond(held < 9, f, f, tree, held)",
    "checkpoint": "jax.checkpoint(f)(tree, held)",
    "grad-of-checkpoint": "jax.grad(jax.checkpoint(total))(tree)",
}
_TAKEN = """\
def taken_of_references(f, tree, take):
    def total(tree):
        held, last = f(tree, jnp.float32(1))
        return held + sum(jnp.sum(leaf) for leaf in jtu.tree_leaves(last))

    rows = jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf + 1]), tree)
    return take(f, jtu.tree_map(jnp.asarray, tree), jnp.float32(1), total, rows)
"""


@st.composite
def pure_reference_programs(draw: st.DrawFn) -> Recipe:
    """Bind `values`, a `program`, and `taken`, which transforms a function of a tree and a number.

    Features: as `reference_programs`, and `way:<transformation>`.
    """
    scope = Scope()
    scope.define(_TAKEN)
    way = draw(st.sampled_from(tuple(_TRANSFORMS)))
    scope.note(f"way:{way}")
    # JAX says of branches with Refs that derivatives and batches of them are not implemented, and
    # of a loop of unknown length that it has no derivative in reverse mode.
    _bind_program(draw, scope, _FLOATS, STEPS if way in _WITH_BRANCHES else _KNOWN)
    scope.bind("take", f"lambda f, tree, held, total, rows: {_TRANSFORMS[way]}")
    scope.bind("taken", "lambda f: taken_of_references(f, values, take)")
    return scope.recipe()
