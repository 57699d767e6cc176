"""Ways to differentiate a loss with respect to the Params of a Flax NNX module, as text.

Each way is an expression of `loss`, a function of a module, and `module`; it gives the gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.contexts import IN_THREAD, WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import LONE_VARIABLES
from hypothesis_pytrees.core.ways import bind_way, way
from hypothesis_pytrees.nnx.module_programs import module_programs

from .tree_options import in_each_mode

_FUNCTIONAL = """\
def nnx_gradients(loss, module, transform):
    graphdef, params, rest = nnx.split(module, nnx.Param, ...)
    return transform(lambda params: loss(nnx.merge(graphdef, params, rest)))(params)
"""


WAYS: Sequence[Kind] = (
    way("grad", "nnx.grad(loss)(module)"),
    way("grad-decorator", "nnx.grad()(loss)(module)"),
    way("argnums", "nnx.grad(lambda other, held: loss(held), argnums=1)(2.0, module)"),
    way("diff-state", "nnx.grad(loss, argnums=nnx.DiffState(0, nnx.Param))(module)"),
    way(
        "diff-state-filter",
        "nnx.grad(loss, argnums=nnx.DiffState(0, nnx.OfType(nnx.Param)))(module)",
    ),
    way(
        "diff-state-everything",
        "nnx.state(nnx.grad(loss, argnums=nnx.DiffState(0, ...), allow_int=True)(module), "
        "nnx.Param)",
        # `nnx.state` takes a State for a node.
        needs=(LONE_VARIABLES,),
    ),
    way(
        "argnums-and-diff-state",
        "nnx.grad(lambda other, held: loss(held) * other, "
        "argnums=(0, nnx.DiffState(1, nnx.Param)))(1.0, module)[1]",
    ),
    way("keyword", "nnx.grad(lambda held, by: loss(held) * by)(module, by=jnp.float32(1))"),
    way("aux", "nnx.grad(lambda held: (loss(held), jnp.int32(1)), has_aux=True)(module)[0]"),
    way("value-and-grad", "nnx.value_and_grad(loss)(module)[1]"),
    way("allow-int", "nnx.grad(loss, allow_int=True)(module)"),
    way("value-allow-int", "nnx.value_and_grad(allow_int=True)(loss)(module)[1]"),
    way(
        "of-remat-policy",
        "nnx.grad(nnx.remat(loss, policy=jax.checkpoint_policies.dots_saveable, "
        "prevent_cse=False))(module)",
    ),
    way("in-jit", "nnx.jit(nnx.grad(loss))(module)"),
    way("in-jit-with-value", "nnx.jit(nnx.value_and_grad(loss))(module)[1]"),
    way("of-jit", "nnx.grad(nnx.jit(loss))(module)"),
    way("of-remat", "nnx.grad(nnx.remat(loss))(module)"),
    way("of-cond", "nnx.grad(lambda held: nnx.cond(True, loss, loss, held))(module)"),
    way("of-switch", "nnx.grad(lambda held: nnx.switch(1, [loss, loss], held))(module)"),
    way(
        "of-vmap",
        "nnx.grad(lambda held: jnp.sum(nnx.vmap(lambda one, _: loss(one), in_axes=(None, 0))"
        "(held, jnp.zeros(1))))(module)",
    ),
    way("in-remat", "nnx.remat(nnx.grad(loss))(module)"),
    way("functional", "nnx_gradients(loss, module, jax.grad)", _FUNCTIONAL),
    way(
        "functional-in-jit",
        "nnx_gradients(loss, module, lambda loss: jax.jit(jax.grad(loss)))",
        _FUNCTIONAL,
    ),
    way(
        "functional-vjp",
        "nnx_gradients(loss, module, lambda loss: lambda params: "
        "jax.vjp(loss, params)[1](jnp.float32(1))[0])",
        _FUNCTIONAL,
    ),
    way(
        "functional-of-checkpoint",
        "nnx_gradients(loss, module, lambda loss: jax.grad(jax.checkpoint(loss)))",
        _FUNCTIONAL,
    ),
    way(
        "without-jit",
        "run_within(jax.disable_jit(), lambda: nnx.jit(nnx.grad(loss))(module))",
        WITHIN,
    ),
    way(
        "leaks-checked",
        "run_within(jax.checking_leaks(), lambda: nnx.jit(nnx.grad(loss))(module))",
        WITHIN,
    ),
    way("thread", "run_in_thread(lambda: nnx.grad(loss)(module))", IN_THREAD),
)
# Ways that take modules as trees; they differentiate with respect to all Variables.
AS_A_TREE: Sequence[Kind] = in_each_mode(
    (name, f"nnx.state({text}, nnx.Param)")
    for name, text in (
        ("vjp", "nnx.vjp(loss, module, $mode)[1](jnp.float32(1))[0]"),
        ("vjp-decorator", "nnx.vjp($mode)(loss)(module)[1](jnp.float32(1))[0]"),
        (
            "vjp-aux",
            (
                "nnx.vjp(lambda held: (loss(held), 1), module, has_aux=True, $mode)[1]"
                "(jnp.float32(1))[0]"
            ),
        ),
        ("grad", "nnx.grad(loss, allow_int=True, $mode)(module)"),
        ("value-and-grad", "nnx.value_and_grad(loss, allow_int=True, $mode)(module)[1]"),
        ("in-jit", "nnx.jit(nnx.grad(loss, allow_int=True, $mode), $mode)(module)"),
        ("of-remat", "nnx.grad(nnx.remat(loss, $mode), allow_int=True, $mode)(module)"),
    )
)


@st.composite
def gradients_in_ways(draw: st.DrawFn, ways: Sequence[Kind] = WAYS, **options: Any) -> Recipe:
    """Draw a `module`, and `run`, which gives the gradients of a loss in some way.

    Args:
        ways: the ways; one that the releases have is drawn.
        options: those of `module_programs`.
    """
    scope = Scope()
    scope.include(draw(module_programs(**options)))
    bind_way(draw, scope, ways, "loss, module")
    return scope.recipe()
