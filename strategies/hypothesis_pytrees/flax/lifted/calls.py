"""Branches inside a module, beside the same program without transforms."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .axes import Arguments, filter_of
from .modules import COLLECTIONS, COUNTING, steps
from .targets import bind_call

_CHANGED = """\
def flax_linen_skipped(c):
    return c, {'total': c.sum(), 'parts': (c, None), 'fixed': jnp.zeros(3, np.float32)}


def flax_linen_changed(inner, c, n):
    # Adds one to a variable that depends on `n`, if the call may change it.
    held = inner.variables.get('stats', {})
    names = sorted(name for name in held if not hasattr(held[name], 'items'))
    if names and inner.is_mutable_collection('stats'):
        name = names[n % len(names)]
        inner.put_variable('stats', name, jtu.tree_map(lambda count: count + 1, held[name]))
    return flax_linen_skipped(c)
"""
# What branches do with the module; all return the same types.
_BRANCHES = {
    "once": "inner(c + {n}, *xs)",
    "skipped": "flax_linen_skipped(c * {n})",
    "changed": "flax_linen_changed(inner, c, {n})",
    "twice": "inner(inner(c, *xs)[0] + {n}, *xs)",
}
_PREDICATES = ("True", "False", "np.bool_(True)", "jnp.array(False)", "c.sum() > 5")
_INDICES = ("0", "1", "2", "np.int32(1)", "jnp.int32(2)", "-1", "7", "jnp.int32(c[0])")


@st.composite
def branches(draw: st.DrawFn) -> Recipe:
    """Draw a call of `nn.cond` or `nn.switch` in a module, with the names of `while_loops`.

    Features are `way:` with the transform, and `branch:` with what a branch does.
    """
    scope = holding(draw, COUNTING)
    scope.define(_CHANGED)
    bind_args(draw, scope)
    # Branches that sow must sow the same.
    forms = [form for form in _BRANCHES if form == "once" or "step:sow" not in scope.features]
    part = draw(st.sampled_from(("", "[1]['parts']")))
    is_switch = draw(st.booleans())
    count = draw(st.integers(1, 3)) if is_switch else 2
    texts: list[str] = []
    for n in range(count):
        form = draw(st.sampled_from(forms))
        scope.note(f"branch:{form}")
        texts.append(f"lambda inner, c, *xs: {_BRANCHES[form].format(n=n + 1)}{part}")
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
    bind_modules(scope, lifted, f"branches[{chosen}](inner, c, *xs)")
    bind_call(draw, scope)
    return scope.recipe()


SEEDS = "{'params': jax.random.key(7), 'noise': jax.random.key(8)}"


def holding(draw: st.DrawFn, kinds: Collection[str]) -> Scope:
    """Return a scope with the module `inner`."""
    scope = Scope()
    text = steps(draw, scope, kinds)
    scope.bind("inner", f"FlaxLinenSteps({text})")
    return scope


def bind_args(draw: st.DrawFn, scope: Scope) -> None:
    """Bind the arguments of a module."""
    given = Arguments(draw, Scope(), 1, loop=False)
    shapes = [(2,), *(given.drawn() for _ in range(draw(st.integers(0, 2))))]
    texts = [given.one(shape, "None").one for shape in shapes]
    scope.bind("args", f"({', '.join(texts)},)")


def bind_modules(scope: Scope, lifted: str, plain: str) -> None:
    """Bind `lifted` and `plain`, which hold `inner` and call these texts, and their variables."""
    for name, text in (("lifted", lifted), ("plain", plain)):
        scope.bind(name, f"FlaxLinenHolder(inner, lambda inner, c, *xs: {text})")
    scope.bind("seeds", SEEDS)
    scope.bind(
        "variables", "{name: {'inner': held} for name, held in inner.init(seeds, *args).items()}"
    )


def option(draw: st.DrawFn, name: str, text: str) -> list[str]:
    """Return the text of an option, or none."""
    return [f"{name}={text}"] if draw(st.booleans()) else []
