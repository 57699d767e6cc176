"""Loops inside a module, each beside the same program without transforms."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import filter_of, mapping_of
from .calls import SEEDS, bind_modules, holding, option
from .modules import COLLECTIONS, COUNTING, steps
from .targets import bind_call

_LOOP = """\
def flax_linen_loop(condition, body, inner, held):
    while condition(inner, held):
        held = body(inner, held)
    return held


def flax_linen_parity(inner):
    return jnp.remainder(sum(leaf.sum() for leaf in jtu.tree_leaves(inner.variables)), 2)


def flax_linen_repeated(body, count, inner, c):
    for _ in range(count):
        c = body(inner, c)
    return c
"""
_CARRY = """\
class FlaxLinenCarry(flax.linen.Module):
    # Returns what a module with these steps carries.
    steps: tuple

    @flax.linen.compact
    def __call__(self, c):
        return FlaxLinenSteps(self.steps, name='inner')(c)[0]
"""
_CALLED = "lambda inner, c: inner(c)"
# What `nn.remat_scan` takes, each with the text of the module and of one repetition.
_STACKED = {
    "class": (
        "flax.linen.remat_scan(FlaxLinenCarry, {options})(steps)",
        "FlaxLinenCarry(steps)",
    ),
    "function": (
        f"FlaxLinenHolder(FlaxLinenCarry(steps), flax.linen.remat_scan({_CALLED}, {{options}}))",
        f"FlaxLinenHolder(FlaxLinenCarry(steps), {_CALLED})",
    ),
}
_CONDITIONS = {
    "counter": "held[0] < {n}",
    "variables": "held[0] < {n} + flax_linen_parity(inner)",
}
_BODIES = (
    "(held[0] + 1, inner(held[1])[0])",
    "(held[0] + 1, inner(held[1], more=held[0])[0])",
    "(held[0] + 1, inner(inner(held[1])[0])[0])",
)
# What is sown has another structure after a call, so that no loop can carry it.
_IN_LOOPS = tuple(kind for kind in COUNTING if kind != "sow")
_CARRIED = ((), ("stats",), ("stats", "params"), ("consts", "stats"), ("params",))


@st.composite
def while_loops(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.while_loop` in a module; the call may change what the loop carries.

    `lifted` and `plain` are the modules with and without the transform, `variables` and `args`
    are theirs, and `call` holds the options of `apply`.
    """
    scope = _looping(draw)
    kind = draw(st.sampled_from(tuple(_CONDITIONS)))
    scope.note(f"condition:{kind}")
    condition = _CONDITIONS[kind].format(n=draw(st.integers(0, 4)))
    scope.bind("condition", f"lambda inner, held: {condition}")
    scope.bind("body", f"lambda inner, held: {draw(st.sampled_from(_BODIES))}")
    carried = draw(st.sampled_from(_CARRIED))
    others = [name for name in COLLECTIONS if name not in carried]
    options = [
        *([f"carry_variables={filter_of(draw, carried, others)}"] if carried else []),
        *option(draw, "broadcast_variables", filter_of(draw, others, carried)),
        *_splits(draw, scope),
    ]
    start = "(jnp.int32(0), c)"
    lifted = f"flax.linen.while_loop(condition, body, inner, {start}, {', '.join(options)})"
    bind_modules(scope, lifted, f"flax_linen_loop(condition, body, inner, {start})")
    fixed = () if "stats" in carried else ("stats",)
    bind_call(draw, scope, fixed=fixed, carried=carried)
    return scope.recipe()


@st.composite
def repeated_modules(draw: st.DrawFn, *, reads: bool = False) -> Recipe:
    """Draw a call of `nn.remat_scan` in a module, with the names of `while_loops`.

    All repetitions share the variables; they carry `stats`.

    Args:
        draw: the function of Hypothesis.
        reads: whether the call may not change all that the loop carries, which is then
            `carry:immutable`, and the transform may be `nn.scan`, too; a feature is `way:` with
            its name. Default `False`.
    """
    scope = _looping(draw)
    lengths = tuple(draw(st.lists(st.integers(1, 2), min_size=1, max_size=3)))
    scope.note(f"lengths:{len(lengths)}")
    count = f"math.prod({lengths})"
    scope.bind("body", "lambda inner, c: inner(c)[0]")
    carried = draw(st.sampled_from((("stats",), ("stats", "params"))))
    others = [name for name in COLLECTIONS if name not in carried]
    options = [
        f"variable_broadcast={filter_of(draw, others, carried)}",
        f"variable_carry={filter_of(draw, carried, others)}",
        *_splits(draw, scope),
    ]
    if reads and draw(st.booleans()):
        scope.note("way:scan")
        step = "lambda inner, c: (body(inner, c), None)"
        options = [step, f"length={count}", *options]
        lifted = f"flax.linen.scan({', '.join(options)})(inner, c)[0]"
    else:
        scope.note("way:remat_scan")
        policy = option(draw, "policy", "jax.checkpoint_policies.everything_saveable")
        options = ["body", f"lengths={lengths}", "variable_axes={}", *options, *policy]
        lifted = f"flax.linen.remat_scan({', '.join(options)})(inner, c)"
    bind_modules(scope, lifted, f"flax_linen_repeated(body, {count}, inner, c)")
    bind_call(draw, scope, carried=carried, changes=not reads)
    return scope.recipe()


@st.composite
def stacked_modules(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.remat_scan` on a module of which each repetition has its own variables.

    `lifted` is the module with the transform, `plain` one repetition, `each` are the variables of
    the repetitions, `lengths` the lengths of the loops; `args` and `call` are as in `while_loops`.
    Features are `target:` with what the transform takes.
    """
    scope = Scope()
    text = steps(draw, scope, COUNTING, boxes=False)
    scope.define(_CARRY)
    scope.bind("steps", text)
    scope.bind("args", "(flax_linen_numbers((2,), 4),)")
    lengths = tuple(draw(st.lists(st.integers(1, 2), min_size=1, max_size=3)))
    scope.note(f"lengths:{len(lengths)}")
    scope.bind("lengths", str(lengths))
    axes = draw(st.sampled_from(("{True: 0}", f"{{{filter_of(draw, COLLECTIONS, ())}: 0}}")))
    options = [f"lengths={lengths}", *option(draw, "variable_axes", axes), *_splits(draw, scope)]
    target = draw(st.sampled_from(tuple(_STACKED)))
    scope.note(f"target:{target}")
    lifted, plain = _STACKED[target]
    scope.bind("lifted", lifted.format(options=", ".join(options)))
    scope.bind("plain", plain)
    scope.bind("seeds", SEEDS)
    made = "plain.init({'params': jax.random.key(i)}, *args)"
    scope.bind("each", f"[{made} for i in range(math.prod(lengths))]")
    bind_call(draw, scope)
    return scope.recipe()


def _looping(draw: st.DrawFn) -> Scope:
    """Return a scope with the module `inner` and the `args` of a loop."""
    scope = holding(draw, _IN_LOOPS)
    scope.define(_LOOP)
    scope.bind("args", "(flax_linen_numbers((2,), 4),)")
    return scope


def _splits(draw: st.DrawFn, scope: Scope) -> list[str]:
    if not draw(st.booleans()):
        return []
    split_of = {name: draw(st.sampled_from(("True", "False"))) for name in ("params", "noise")}
    return [f"split_rngs={mapping_of(draw, scope, split_of)}"]
