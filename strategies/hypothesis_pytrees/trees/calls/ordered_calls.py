"""Programs of loops and branches that call a function in order, as text."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .callback_levels import LEAVES

# The same program is written with either of these.
STAGED = """\
class StagedSteps:
    def loop_scan(self, step, held, count):
        return jax.lax.scan(lambda held, _: (step(held), None), held, None, length=count)[0]

    def loop_for(self, step, held, count):
        return jax.lax.fori_loop(0, count, lambda _, held: step(held), held)

    def loop_while(self, step, held, count):
        more = lambda pair: (pair[0] + 1, step(pair[1]))
        return jax.lax.while_loop(lambda pair: pair[0] < count, more, (0, held))[1]

    def choose(self, number, steps, held):
        return jax.lax.switch(number, steps, held)

    def decide(self, flag, steps, held):
        return jax.lax.cond(flag, *steps, held)

    def compiled(self, step, held):
        return jax.jit(step)(held)

    def then(self, first, second, held):
        return second(first(held))
"""
PYTHON = """\
class PythonSteps:
    def loop_scan(self, step, held, count):
        for _ in range(count):
            held = step(held)
        return held

    loop_for = loop_while = loop_scan

    def choose(self, number, steps, held):
        return steps[number](held)

    def decide(self, flag, steps, held):
        return steps[0 if flag else 1](held)

    def compiled(self, step, held):
        return step(held)

    def then(self, first, second, held):
        return second(first(held))
"""
LOOPS = ("loop_scan", "loop_for", "loop_while")
STEPS = (*LOOPS, "choose", "decide", "compiled", "then")


@st.composite
def ordered_programs(draw: st.DrawFn) -> Recipe:
    """Bind `tree` and `program`, which calls a function by number in some order.

    `staged` and `python` are what the program is written with. The tree has a number beside other
    leaves. Features: `step:<name>`, and `jit:outer` if the whole is compiled.
    """
    scope = Scope()
    scope.define(STAGED, PYTHON)
    tree = draw_tree(draw, scope, leaves=pool(LEAVES), kinds=(*CONTAINERS, *NODES))
    scope.bind("tree", f"[np.int32(1), {tree}]")
    scope.bind("staged", "StagedSteps()")
    scope.bind("python", "PythonSteps()")
    numbers = itertools.count(1)
    text = draw_program(draw, scope, lambda: f"call({next(numbers)}, held)")
    outer = draw(st.booleans())
    scope.note(*(["jit:outer"] if outer else []))
    whole = f"steps.compiled({text}, held)" if outer else f"({text})(held)"
    scope.bind("program", f"lambda steps, call, held: {whole}")
    return scope.recipe()


def draw_program(
    draw: st.DrawFn,
    scope: Scope,
    call: Callable[[], str],
    *,
    steps: Sequence[str] = STEPS,
    most: int = 3,
    depth: int = 0,
) -> str:
    """Write a function of what is held, in terms of `steps`, and note `step:<name>`.

    Args:
        draw: how to draw.
        scope: where the features are noted.
        call: writes an innermost call, which takes `held` and gives the next.
        steps: the steps that may be taken.
        most: how many steps are nested at most.
        depth: how many steps are around it.
    """
    if depth and (depth >= most or draw(st.booleans())):
        return f"lambda held: {call()}"
    step = draw(st.sampled_from(steps))
    scope.note(f"step:{step}")
    several = {"choose": 3, "decide": 2, "then": 2}.get(step, 1)
    inside = [
        draw_program(draw, scope, call, steps=steps, most=most, depth=depth + 1)
        for _ in range(several)
    ]
    if step in LOOPS:
        count = draw(st.integers(0, 3))
        return f"lambda held: steps.{step}({inside[0]}, held, {count})"
    if step == "choose":
        number = draw(st.integers(0, 2))
        return f"lambda held: steps.choose({number}, [{', '.join(inside)}], held)"
    if step == "decide":
        return f"lambda held: steps.decide({draw(st.booleans())}, [{', '.join(inside)}], held)"
    return f"lambda held: steps.{step}({', '.join(inside)}, held)"
