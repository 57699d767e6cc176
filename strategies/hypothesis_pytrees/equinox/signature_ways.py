"""Transforms of Equinox of functions with signatures of every form, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.trees.calls.signature_ways import (
    EVALUATED,
    FIRST_GRADIENT,
    STACKED,
    plain_way as _pw,
)
from hypothesis_pytrees.trees.calls.signed_calls import SignedWay

_ROWS = "signed_stacked(bound, args, {})"
CALLS: Sequence[SignedWay] = (
    _pw("jit", "eqx.filter_jit(function)(*args, **named)"),
    _pw("jit-donate", "eqx.filter_jit(function, donate='none')(*args, **named)"),
    _pw("lowered", "eqx.filter_jit(function).lower(*args, **named).compile()(*args, **named)"),
    _pw("checkpoint", "eqx.filter_checkpoint(function)(*args, **named)"),
    _pw(
        "closure-converted",
        "eqx.filter_closure_convert(function, *args, **named)(*args, **named)",
    ),
    _pw("grad", "eqx.filter_grad(function)(*args, **named)", wanted=FIRST_GRADIENT),
    _pw(
        "value-and-grad",
        "eqx.filter_value_and_grad(function)(*args, **named)",
        wanted=f"(function(*args, **named), {FIRST_GRADIENT})",
    ),
    _pw(
        "grad-of-jit",
        "eqx.filter_grad(eqx.filter_jit(function))(*args, **named)",
        wanted=FIRST_GRADIENT,
    ),
    _pw("vjp", "eqx.filter_vjp(bound, *args)[0]"),
    _pw("jvp", "eqx.filter_jvp(function, args, args, **named)[0]"),
    _pw(
        "eval-shape",
        "eqx.filter_eval_shape(function, *args, **named)",
        wanted="jax.eval_shape(lambda: function(*args, **named))",
    ),
    _pw(
        "jaxpr",
        "signed_evaluated(eqx.filter_make_jaxpr(function)(*args, **named)[0], "
        "eqx.filter_make_jaxpr(function)(*args, **named)[1], (args, named))",
        EVALUATED,
    ),
    _pw("vmap", "eqx.filter_vmap(bound)(*args)", STACKED, wanted=_ROWS),
    _pw(
        "vmap-axes",
        "eqx.filter_vmap(bound, in_axes=(0,) * len(args))(*args)",
        STACKED,
        wanted=_ROWS,
    ),
    _pw(
        "vmap-axes-by-name",
        "eqx.filter_vmap(bound, in_axes={})(*args)",
        STACKED,
        wanted=_ROWS,
    ),
)
COUNTED = _pw("max-traces", "eqx.debug.assert_max_traces(function, max_traces=9)(*args, **named)")
