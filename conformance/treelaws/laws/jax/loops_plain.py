"""JAX: loops over trees without compilation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.equality import same

from .loops import _CASES, _strong, law

_DOCS = "https://docs.jax.dev/en/latest/_autosummary/jax.disable_jit.html"
# A number that a loop starts from, and what each step adds: one without a dtype takes that of the
# sum.
_NUMBERS = (
    ("0", "1"),
    ("0", "jnp.int32(1)"),
    ("0", "jnp.float32(1.5)"),
    ("0.0", "1"),
    ("0.0", "jnp.float32(1.5)"),
    ("jnp.int32(0)", "1"),
    ("jnp.float32(0)", "jnp.int32(1)"),
    ("jnp.float32(0)", "1.5"),
)


@st.composite
def _cases(draw: st.DrawFn) -> Recipe:
    """Bind the names of a loop, and `number` and `more`.

    Features: `number:promoted`, and `number:narrow` where a step adds a number of 32 bits.
    """
    scope = Scope()
    number, more = draw(st.sampled_from(_NUMBERS))
    scope.include(draw(_CASES))
    scope.note(*(["number:promoted"] if (number, more) == _NUMBERS[2] else []))
    scope.note(*(["number:narrow"] if (number, more) in (_NUMBERS[1], _NUMBERS[4]) else []))
    scope.bind("number", number)
    scope.bind("more", more)
    return scope.recipe()


@law(
    "without compilation, under `disable_jit`, `scan`, `map` and `while_loop` give what they give "
    "with it, also from a number that has no dtype",
    source=_DOCS,
    level="should",
    case=_cases(),
)
def loops_give_the_same_without_jit(lib, case):
    def loops():
        step = lambda held, row: (held + case.more, (held, case.change(row)))
        scanned = lib.lax.scan(step, case.number, case.tree, reverse=case.reverse)
        mapped = lib.lax.map(case.change, case.tree)
        last = lib.lax.while_loop(lambda n: n < 3, lambda n: n + case.more, case.number)
        return _strong(jax.tree_util.tree_map(jnp.asarray, (scanned, mapped, last)))

    with lib.disable_jit():
        found = loops()
    same(found, loops())
