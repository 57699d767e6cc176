"""Stages of functions that Flax NNX compiles, and what they say of the arguments, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.ways import way

_MODES: Sequence[Kind] = (
    way("stage", ""),
    way("stage-tree", ", graph=False", needs=(GRAPH_OPTIONS,)),
    way("stage-no-updates", ", graph_updates=False", needs=(GRAPH_OPTIONS,)),
)
_OF_TRACED = ("in_tree",)
_OF_LOWERED = (*_OF_TRACED, "args_info")
_STAGES: dict[Kind, Sequence[str]] = {
    Kind("stage", "trace($args)", (), ("stage:traced",)): _OF_TRACED,
    Kind("stage", "lower($args)", (), ("stage:lowered",)): _OF_LOWERED,
    Kind("stage", "trace($args).lower()", (), ("stage:lowered",)): _OF_LOWERED,
    Kind("stage", "lower($args).compile()", (), ("stage:compiled",)): (
        *_OF_LOWERED,
        "input_shardings",
    ),
}
_OPTIONS = (
    "",
    ", donate_argnums=1",
    ", donate_argnames='x'",
    ", inline=True",
    ", keep_unused=True",
)
_LEAVES = (
    "jax.device_put(np.float32([1.0, -2.0]))",
    "jax.device_put(np.int8(3))",
    "jnp.zeros((2, 0), jnp.bfloat16)",
    "jax.random.key(1)",
)
_TREES = ("{0}", "{{'b': {0}, 'a': [None, ({1},)]}}", "[{0}, {1}]", "({1}, {{}})")
_CALLS = ("x, y", "x, y=y", "y=y, x=x")


@st.composite
def described_stages(draw: st.DrawFn) -> Recipe:
    """Draw `ours` and `theirs`, what a stage of a function of arrays says of its arguments.

    `theirs` is what that of `jax.jit` says.
    """
    scope = Scope()
    mode = draw(st.sampled_from(available(_MODES)))
    stage = draw(st.sampled_from(available(tuple(_STAGES))))
    said = draw(st.sampled_from(_STAGES[stage]))
    options = draw(st.sampled_from(_OPTIONS))
    scope.note(*mode.features, *stage.features, f"said:{said}")
    leaves = st.sampled_from(_LEAVES)
    for name in ("x", "y"):
        scope.bind(name, draw(st.sampled_from(_TREES)).format(draw(leaves), draw(leaves)))
    scope.bind("function", "lambda x, y: (y, jtu.tree_leaves(x)[:1])")
    reached = f"{stage.template.replace('$args', draw(st.sampled_from(_CALLS)))}.{said}"
    scope.bind("ours", f"lambda: nnx.jit(function{mode.template}{options}).{reached}")
    scope.bind("theirs", f"lambda: jax.jit(function{options}).{reached}")
    return scope.recipe()
