"""Programs that consume random keys in trees, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

_KEY = (Kind("leaf", "jax.random.key(next(seeds))", (), ("leaf:key",)),)
_SPLIT = """\
def normal_of_split(key):
    one, other = jax.random.split(key)
    return jax.random.normal(one) + jax.random.normal(other)
"""
_FOLD = """\
def normal_of_folded(key, number):
    return jax.random.normal(jax.random.fold_in(key, number))
"""
# Each consumes the key `k` once and gives a number.
_USES: Sequence[tuple[str, str]] = (
    ("normal", "jax.random.normal(k)"),
    ("uniform", "jnp.sum(jax.random.uniform(k, (2,)))"),
    ("split", "normal_of_split(k)"),
    ("split-mapped", "jnp.sum(jax.vmap(jax.random.normal)(jax.random.split(k, 3)))"),
    (
        "split-none",
        "jnp.sum(jax.vmap(normal_of_split)(jax.random.split(k, 0)))",
    ),
    ("split-looped", "jnp.sum(jax.lax.map(jax.random.normal, jax.random.split(k, 2)))"),
    (
        "scan-carry",
        "jax.lax.scan(lambda k, _: tuple(jax.random.split(k)), k, None, length=2)[1].size * 1.0",
    ),
    ("scan-unused", "jax.random.normal(jax.lax.scan(lambda k, _: (k, 1), k, None, length=2)[0])"),
    # "folds in data to a PRNG key to form a new PRNG key": JAX counts the first as unused.
    (
        "fold",
        "normal_of_folded(k, 0) + normal_of_folded(k, 1)",
    ),
    (
        "fold-looped",
        "jnp.sum(jax.lax.map(lambda at: normal_of_folded(k, at), jnp.arange(2)))",
    ),
    ("clone", "jax.random.normal(jax.random.clone(k)) + jax.random.normal(k)"),
    ("returned", "jax.random.normal(jax.jit(lambda k: [k])(k)[0])"),
    ("placed", "jax.random.normal(jax.device_put(k))"),
    ("stacked", "jnp.sum(jax.vmap(jax.random.normal)(jnp.stack([k, jax.random.key(7)])))"),
    (
        "transposed",
        "jnp.sum(jax.vmap(jax.vmap(jax.random.normal))(jax.random.split(k, (2, 3)).T))",
    ),
    ("reversed", "jnp.sum(jax.vmap(jax.random.normal)(jnp.flip(jax.random.split(k))))"),
    ("selected", "jax.random.normal(jnp.where(True, k, jax.random.key(7)))"),
    ("axis", "jax.random.normal(jnp.reshape(k, (1,))[0])"),
    ("branch", "jax.lax.cond(True, jax.random.normal, lambda k: 2 * jax.random.normal(k), k)"),
    ("branch-one", "jax.lax.cond(True, jax.random.normal, lambda k: jnp.float32(0), k)"),
    ("shape", "(k.shape, k.dtype, [k], jax.random.normal(k))[-1]"),
)
# `fold_in` and `clone` leave the key unused, and others use a copy of it.
_PLAIN = ("normal", "uniform", "split", "split-mapped", "split-looped", "branch", "shape")
# How the program is run, on a tree of keys.
_HELD: Sequence[tuple[str, str]] = (
    ("plain", "run(keys)"),
    ("jit", "jax.jit(run)(keys)"),
    ("jit-closed", "jax.jit(lambda: run(keys))()"),
    ("jit-in-jit", "jax.jit(lambda keys: jax.jit(run)(keys))(keys)"),
    ("cond", "jax.lax.cond(True, run, lambda keys: jnp.float32(0), keys)"),
    ("switch", "jax.lax.switch(1, [lambda keys: jnp.float32(0), run], keys)"),
    ("grad", "jax.grad(lambda x, keys: jnp.sin(x * run(keys)))(1.0, keys)"),
    ("grad-of-jit", "jax.grad(jax.jit(lambda x, keys: jnp.sin(x * run(keys))))(1.0, keys)"),
    ("checkpoint", "jax.checkpoint(run)(keys)"),
    ("grad-of-checkpoint", "jax.grad(jax.checkpoint(lambda x, keys: x * run(keys)))(1.0, keys)"),
    ("vmap", "jax.vmap(run)(jtu.tree_map(lambda k: jnp.reshape(k, (1,)), keys))"),
    (
        "scan",
        "jax.lax.map(run, jtu.tree_map(lambda k: jnp.reshape(k, (1,)), keys))",
    ),
)


@st.composite
def key_programs(draw: st.DrawFn, *, twice: bool) -> Recipe:
    """Bind `make`, which makes a tree of keys, and `run`, which consumes each of them.

    Features: `use:<name>` for what consumes the keys, `held:<form>`, `again:<place>`.

    Args:
        twice: whether one key is consumed twice; else each is consumed once.
    """
    scope = Scope()
    scope.define(_SPLIT, _FOLD)
    kinds = (*CONTAINERS, *NODES)
    tree = draw_tree(draw, scope, leaves=pool(_KEY), kinds=kinds, alias=False, max_leaves=4)
    scope.bind("make", f"lambda seeds: [jax.random.key(99), {tree}]")
    taken = [use for use in _USES if not twice or use[0] in _PLAIN]
    names = draw(st.lists(st.sampled_from(taken), min_size=1, max_size=3, unique=True))
    scope.note(*(f"use:{name}" for name, _ in names))
    scope.bind("uses", f"[{', '.join(f'lambda k: {text}' for _, text in names)}]")
    each = "sum(uses[at % len(uses)](k) for at, k in enumerate(jtu.tree_leaves(keys)))"
    form, held = draw(st.sampled_from(_HELD))
    scope.note(f"held:{form}")
    if not twice:
        scope.bind("each", f"lambda keys: {each}")
        scope.bind("run", f"lambda keys: (lambda run: {held})(each)")
        return scope.recipe()
    place = draw(st.sampled_from(("inside", "after", "before", "tree")))
    scope.note(f"again:{place}")
    more = f"{each} + jax.random.normal(keys[0])" if place == "inside" else each
    scope.bind("each", f"lambda keys: {more}")
    ran = f"(lambda run: {held})(each)"
    scope.bind(
        "run",
        {
            "inside": f"lambda keys: {ran}",
            "after": f"lambda keys: ({ran}, jax.random.normal(keys[0]))",
            "before": f"lambda keys: (jax.random.normal(keys[0]), {ran})",
            "tree": f"lambda keys: (lambda keys: {ran})([*keys, keys[0]])",
        }[place],
    )
    return scope.recipe()
