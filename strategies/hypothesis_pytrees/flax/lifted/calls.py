"""Loops and branches inside a module, each beside the same program without transforms."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import Arguments, filter_of, mapping_of
from .modules import COLLECTIONS, FIXED, steps
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
_IN_LOOPS = tuple(kind for kind in FIXED if kind != "sow")


@st.composite
def while_loops(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.while_loop` in a module.

    `lifted` and `plain` are the modules with and without the transform, `variables` and `args`
    are theirs, and `call` holds the options of `apply`.
    """
    scope = _holding(draw, _IN_LOOPS)
    scope.bind("args", "(flax_linen_numbers((2,), 4),)")
    kind = draw(st.sampled_from(tuple(_CONDITIONS)))
    scope.note(f"condition:{kind}")
    condition = _CONDITIONS[kind].format(n=draw(st.integers(0, 3)))
    scope.bind("condition", f"lambda inner, held: {condition}")
    scope.bind("body", f"lambda inner, held: {draw(st.sampled_from(_BODIES))}")
    carried = draw(st.lists(st.sampled_from(COLLECTIONS[:3]), unique=True))
    others = [name for name in COLLECTIONS if name not in carried]
    options = [
        *([f"carry_variables={filter_of(draw, carried, others)}"] if carried else []),
        *option(draw, "broadcast_variables", filter_of(draw, others, carried)),
        *option(draw, "split_rngs", _splits(draw, scope)),
    ]
    start = "(jnp.int32(0), c)"
    lifted = f"flax.linen.while_loop(condition, body, inner, {start}, {', '.join(options)})"
    _bind_modules(scope, lifted, f"flax_linen_loop(condition, body, inner, {start})")
    fixed = () if "stats" in carried else ("stats",)
    bind_call(draw, scope, fixed=fixed, carried=carried)
    return scope.recipe()


# What branches do with the module; all branches of a call do the same with other numbers.
_BRANCHES = {
    "once": "inner(c + {n}, *xs)",
    "part": "inner(c * {n}, *xs)[1]['parts']",
    "twice": "inner(inner(c, *xs)[0] + {n}, *xs)",
}
_PREDICATES = ("True", "False", "np.bool_(True)", "jnp.array(False)", "c.sum() > 5")
_INDICES = ("0", "1", "2", "np.int32(1)", "jnp.int32(2)", "-1", "7", "jnp.int32(c[0])")


@st.composite
def branches(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.cond` or `nn.switch` in a module, with the names of `while_loops`."""
    scope = _holding(draw, FIXED)
    bind_args(draw, scope)
    forms = [form for form in _BRANCHES if form == "once" or "step:sow" not in scope.features]
    form = _BRANCHES[draw(st.sampled_from(forms))]
    is_switch = draw(st.booleans())
    count = draw(st.integers(1, 3)) if is_switch else 2
    texts = [f"lambda inner, c, *xs: {form.format(n=n + 1)}" for n in range(count)]
    scope.bind("branches", f"[{', '.join(texts)}]")
    options = [
        *option(draw, "variables", filter_of(draw, COLLECTIONS, ())),
        *option(draw, "rngs", filter_of(draw, ("params", "noise"), ())),
    ]
    end = "".join(f", {option}" for option in options)
    if is_switch:
        scope.note("way:switch")
        index = draw(st.sampled_from(_INDICES))
        # `jax.lax.switch` clamps an index that is out of range.
        chosen = f"min(max(int({index}), 0), {count - 1})"
        lifted = f"flax.linen.switch({index}, branches, inner, c, *xs{end})"
    else:
        scope.note("way:cond")
        index = draw(st.sampled_from(_PREDICATES))
        chosen = f"0 if {index} else 1"
        lifted = f"flax.linen.cond({index}, *branches, inner, c, *xs{end})"
    _bind_modules(scope, lifted, f"branches[{chosen}](inner, c, *xs)")
    bind_call(draw, scope)
    return scope.recipe()


@st.composite
def repeated_modules(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.remat_scan` in a module, with the names of `while_loops`.

    All repetitions share the variables; they carry `stats`.
    """
    scope = _holding(draw, _IN_LOOPS)
    scope.bind("args", "(flax_linen_numbers((2,), 4),)")
    lengths = draw(st.lists(st.integers(1, 2), min_size=1, max_size=3))
    scope.note(f"lengths:{len(lengths)}")
    scope.bind("body", "lambda inner, c: inner(c)[0]")
    carried = draw(st.sampled_from((("stats",), ("stats", "params"))))
    others = [name for name in COLLECTIONS if name not in carried]
    options = [
        f"lengths={tuple(lengths)}",
        "variable_axes={}",
        f"variable_broadcast={filter_of(draw, others, carried)}",
        f"variable_carry={filter_of(draw, carried, others)}",
        *option(draw, "split_rngs", _splits(draw, scope)),
        *option(draw, "policy", "jax.checkpoint_policies.everything_saveable"),
    ]
    lifted = f"flax.linen.remat_scan(body, {', '.join(options)})(inner, c)"
    count = "math.prod(" + repr(tuple(lengths)) + ")"
    _bind_modules(scope, lifted, f"flax_linen_repeated(body, {count}, inner, c)")
    bind_call(draw, scope, carried=carried)
    return scope.recipe()


SEEDS = "{'params': jax.random.key(7), 'noise': jax.random.key(8)}"


def _holding(draw: st.DrawFn, kinds: Collection[str]) -> Scope:
    """Return a scope with the module `inner`."""
    scope = Scope()
    text = steps(draw, scope, kinds)
    scope.define(_LOOP)
    scope.bind("inner", f"FlaxLinenSteps({text})")
    return scope


def bind_args(draw: st.DrawFn, scope: Scope) -> None:
    """Bind the arguments of a module."""
    given = Arguments(draw, Scope(), 1, loop=False)
    shapes = [(2,), *(given.drawn() for _ in range(draw(st.integers(0, 2))))]
    texts = [given.one(shape, "None").one for shape in shapes]
    scope.bind("args", f"({', '.join(texts)},)")


def _bind_modules(scope: Scope, lifted: str, plain: str) -> None:
    for name, text in (("lifted", lifted), ("plain", plain)):
        scope.bind(name, f"FlaxLinenHolder(inner, lambda inner, c, *xs: {text})")
    scope.bind("seeds", SEEDS)
    scope.bind(
        "variables", "{name: {'inner': held} for name, held in inner.init(seeds, *args).items()}"
    )


def _splits(draw: st.DrawFn, scope: Scope) -> str:
    split_of = {name: draw(st.sampled_from(("True", "False"))) for name in ("params", "noise")}
    return mapping_of(draw, scope, split_of)


def option(draw: st.DrawFn, name: str, text: str) -> list[str]:
    """Return the text of an option, or none."""
    return [f"{name}={text}"] if draw(st.booleans()) else []
