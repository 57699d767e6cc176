"""Ways to give a transform a tree `given` in the place of one like `due`, as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS, Since
from hypothesis_pytrees.core.ways import way

_JVP_RULE = """\
def misfit_of_a_jvp_rule(due, given):
    custom = jax.custom_jvp(lambda tree: tree)
    custom.defjvp(lambda primals, tangents: (primals[0], given))
    return jax.jvp(custom, (due,), (due,))
"""
_VJP_RULE = """\
def misfit_of_a_vjp_rule(due, given):
    custom = jax.custom_vjp(lambda tree: jnp.float32(1))
    custom.defvjp(lambda tree: (jnp.float32(1), None), lambda kept, cotangent: (given,))
    return jax.grad(custom)(due)
"""
_DEVICE = """\
def misfit_sharding(tree):
    return jtu.tree_map(lambda _: jax.sharding.SingleDeviceSharding(jax.devices()[0]), tree)
"""
_EQX_RULE = """\
def misfit_of_a_filter_rule(due, given):
    custom = eqx.filter_custom_vjp(lambda tree: jnp.float32(1))
    custom.def_fwd(lambda perturbed, tree: (jnp.float32(1), None))
    custom.def_bwd(lambda kept, cotangent, perturbed, tree: given)
    return eqx.filter_grad(custom)(due)
"""

_LOOPS: Sequence[Kind] = (
    way("scan", "jax.lax.scan(lambda held, row: (given, row), due, jnp.ones(1))"),
    way("scan-length", "jax.lax.scan(lambda held, _: (given, None), due, length=2, unroll=2)"),
    way("while-loop", "jax.lax.while_loop(lambda held: False, lambda held: given, due)"),
    way("fori-loop", "jax.lax.fori_loop(0, 1, lambda index, held: given, due)"),
    way("fori-loop-traced", "jax.lax.fori_loop(0, jnp.int32(1), lambda index, held: given, due)"),
)
_BRANCHES: Sequence[Kind] = (
    way("cond", "jax.lax.cond(True, lambda: due, lambda: given)"),
    way("cond-operand", "jax.lax.cond(True, lambda tree: tree, lambda tree: given, due)"),
    way("switch", "jax.lax.switch(1, [lambda: due, lambda: due, lambda: given])"),
)
_PLACE = Since(
    "the key path in an error for results of branches of different types",
    "jax>=0.6.0",
    "https://github.com/jax-ml/jax/blob/jax-v0.6.0/jax/_src/lax/control_flow/conditionals.py",
)
# The error names the place of the difference.
WITH_PLACE: Sequence[Kind] = (
    *_LOOPS,
    *(dataclasses.replace(branch, needs=(_PLACE,)) for branch in _BRANCHES),
)
# Ways that also tell shapes and dtypes apart.
TYPED: Sequence[Kind] = (
    *_LOOPS,
    *_BRANCHES,
    way("vjp", "jax.vjp(lambda tree: tree, due)[1](given)"),
    way("jvp", "jax.jvp(lambda tree: tree, (due,), (given,))"),
    way("linearize", "jax.linearize(lambda tree: tree, due)[1](given)"),
    way("linear-transpose", "jax.linear_transpose(lambda tree: tree, due)(given)"),
    way("jvp-rule", "misfit_of_a_jvp_rule(due, given)", _JVP_RULE),
)
# The result of an associative operation "has the same shape (and structure) as the two inputs".
_SCANNED = "jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf, leaf]), due)"
_STACKED = "jtu.tree_map(lambda leaf: jnp.stack([leaf] * len(jtu.tree_leaves(one)[0])), given)"
WHOLE: Sequence[Kind] = (
    *TYPED,
    way(
        "associative-scan",
        f"jax.lax.associative_scan(lambda one, other: {_STACKED}, {_SCANNED})",
    ),
    way(
        "linear-solve",
        "jax.lax.custom_linear_solve(lambda tree: given, due, lambda product, right: right, "
        "symmetric=True)",
    ),
)
# Ways where a leaf may stand for a subtree.
PREFIX: Sequence[Kind] = (
    way("vjp-rule", "misfit_of_a_vjp_rule(due, given)", _VJP_RULE),
    way(
        "in-axes",
        "jax.vmap(lambda tree: tree, in_axes=(jtu.tree_map(lambda _: 0, given),))(due)",
    ),
    way("out-axes", "jax.vmap(lambda _: due, out_axes=jtu.tree_map(lambda _: 0, given))(vector)"),
    way(
        "in-shardings",
        "jax.jit(lambda tree: tree, in_shardings=(misfit_sharding(given),)).lower(due)",
        _DEVICE,
    ),
    way(
        "out-shardings",
        "jax.jit(lambda tree: tree, out_shardings=misfit_sharding(given)).lower(due)",
        _DEVICE,
    ),
    way("device-put", "jax.device_put(due, misfit_sharding(given))", _DEVICE),
)
NNX: Sequence[Kind] = (
    way(
        "nnx-scan",
        "nnx.scan(lambda held, row: (given, row), in_axes=(nnx.Carry, 0), "
        "out_axes=(nnx.Carry, 0))(due, jnp.ones(1))",
    ),
    way("nnx-while-loop", "nnx.while_loop(lambda held: False, lambda held: given, due)"),
    way("nnx-fori-loop", "nnx.fori_loop(0, 1, lambda index, held: given, due)"),
    way("nnx-cond", "nnx.cond(True, lambda tree: tree, lambda tree: given, due)"),
    way("nnx-switch", "nnx.switch(1, [lambda tree: tree, lambda tree: given], due)"),
    *(
        way(f"nnx-{name}-{mode}", text.replace("$mode", option), needs=(GRAPH_OPTIONS,))
        for mode, option in (("tree", "graph=False"), ("no-updates", "graph_updates=False"))
        for name, text in (
            ("vjp", "nnx.vjp(lambda tree: tree, due, $mode)[1](given)"),
            ("jvp", "nnx.jvp(lambda tree: tree, (due,), (given,), $mode)"),
            ("while-loop", "nnx.while_loop(lambda held: False, lambda held: given, due, $mode)"),
            ("cond", "nnx.cond(True, lambda tree: tree, lambda tree: given, due, $mode)"),
            (
                "scan",
                "nnx.scan(lambda *_: given, out_axes=nnx.Carry, $mode)(due, jnp.ones(1))",
            ),
        )
    ),
)
EQUINOX: Sequence[Kind] = (
    way("filter-jvp", "eqx.filter_jvp(lambda tree: tree, (due,), (given,))"),
    way("filter-vjp", "eqx.filter_vjp(lambda tree: tree, due)[1](given)"),
    way(
        "filter-cond",
        "jax.lax.cond(True, eqx.Partial(lambda tree: tree), eqx.Partial(lambda tree: given), due)",
    ),
)
# The dtype of what a backward rule gives is not looked at.
EQUINOX_RULE: Sequence[Kind] = (
    way("filter-vjp-rule", "misfit_of_a_filter_rule(due, given)", _EQX_RULE),
)
