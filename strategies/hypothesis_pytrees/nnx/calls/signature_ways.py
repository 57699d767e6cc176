"""Transforms of Flax NNX of functions of arrays, each beside the transform of JAX, as text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.trees.calls.signed_calls import SignedWay

from .transform_options import DEVICE

_CHECKIFY = "from jax.experimental import checkify"
# The names of JAX for transforms that Flax has under one.
_NAMES_OF_JAX = {
    "nnx.cond": "jax.lax.cond",
    "nnx.switch": "jax.lax.switch",
    "nnx.fori_loop": "jax.lax.fori_loop",
    "nnx.while_loop": "jax.lax.while_loop",
    "nnx.checkify": "checkify.checkify",
}
# The rules are those of another function, so that it shows whether they are used.
_CUSTOM = """\
def signed_gradients(custom, function, args, named):
    custom.defvjp(lambda *given: (function(*given), given), lambda kept, _: kept)
    loss = lambda args: signed_total(custom(*args, **named))
    return jax.value_and_grad(loss)(args)
"""
_VJP = """\
def signed_pullback(pair):
    value, pullback = pair
    return value, pullback(value)
"""
_ROW = """\
def signed_row(tree):
    return jtu.tree_map(lambda leaf: leaf[0], tree)
"""

_HOLDER = """\
class SignedHolder:
    def __init__(self, function):
        self.function = function

    def call(self, *args, **named):
        return self.function(*args, **named)
"""
_FIRST_ROW = """\
def signed_first_row(tree):
    return jtu.tree_map(lambda leaf: leaf[:1], tree)
"""
# One device maps one row.
_ON_ONE_DEVICE = "(*signed_first_row(args), **signed_first_row(named))"


def _way(
    name: str, text: str, *definitions: str, end: str = "signed_tree", jax: str = ""
) -> SignedWay:
    needs = (GRAPH_OPTIONS,) if re.search(r"graph(_updates)?=", text) else ()
    kind = way(name, text, *definitions, needs=needs)
    # A finding about one transform needs no list of its ways.
    transforms = (f"transform:{found}" for found in re.findall(r"nnx\.(\w+)\(", text))
    kind = dataclasses.replace(kind, features=(*kind.features, *transforms))
    return SignedWay(kind, end, jax or _of_jax(text))


def _of_jax(text: str) -> str:
    """Write the names of JAX."""
    names = re.sub(r"nnx\.\w+", lambda one: _NAMES_OF_JAX.get(one[0], one[0]), text)
    return names.replace("nnx.", "jax.")


def _losses(name: str, transform: str, options: str) -> SignedWay:
    return _way(name, f"nnx.{transform}(function{options})(*args, **named)", end="signed_loss")


PLAIN: Sequence[SignedWay] = (
    _way("jit", "nnx.jit(function)(*args, **named)"),
    _way("vmap", "nnx.vmap(function)(*args, **named)"),
    _losses("grad", "grad", ""),
    _losses("value-and-grad", "value_and_grad", ""),
    _way(
        "grad-aux",
        "nnx.grad(function, has_aux=True)(*args, **named)",
        end="signed_loss_and_tree",
    ),
    _way("remat", "nnx.remat(function)(*args, **named)"),
    _way("eval-shape", "nnx.eval_shape(function, *args, **named)"),
    _way(
        "eval-shape-of-method",
        "nnx.eval_shape(SignedHolder(function).call, *args, **named)",
        _HOLDER,
    ),
    _way("pmap", f"nnx.pmap(function){_ON_ONE_DEVICE}", _FIRST_ROW),
    _way("checkify", "nnx.checkify(function)(*args, **named)[1]", _CHECKIFY),
    _way(
        "custom-vjp", "signed_gradients(nnx.custom_vjp(function), function, args, named)", _CUSTOM
    ),
)
# `jvp` and `vjp` are only for these modes.
_IN_MODES = (
    ("jit", "nnx.jit(function, $mode)(*args, **named)", ()),
    ("vmap", "nnx.vmap(function, $mode)(*args, **named)", ()),
    ("grad", "nnx.grad(function, $mode)(*args, **named)", ()),
    ("value-and-grad", "nnx.value_and_grad(function, $mode)(*args, **named)", ()),
    ("remat", "nnx.remat(function, $mode)(*args, **named)", ()),
    ("pmap", f"nnx.pmap(function, $mode){_ON_ONE_DEVICE}", (_FIRST_ROW,)),
    ("checkify", "nnx.checkify(function, $mode)(*args, **named)[1]", (_CHECKIFY,)),
    ("eval-shape", "nnx.eval_shape(function, *args, $mode, **named)", ()),
    (
        "custom-vjp",
        "signed_gradients(nnx.custom_vjp(function, $mode), function, args, named)",
        (_CUSTOM,),
    ),
    ("jvp", "nnx.jvp(bound, args, args, $mode)", ()),
    ("vjp", "signed_pullback(nnx.vjp(bound, *args, $mode))", (_VJP,)),
    ("cond", "nnx.cond(jnp.asarray(True), bound, signed_tree, *args, $mode)", ()),
    ("switch", "nnx.switch(jnp.asarray(1), [signed_tree, bound], *args, $mode)", ()),
)


def _in_mode(name: str, text: str, definitions: tuple[str, ...], options: str) -> SignedWay:
    return _way(
        name,
        text.replace("$mode", options),
        *definitions,
        end="signed_loss" if "grad(" in text else "signed_tree",
        jax=_of_jax(text.replace(", $mode", "")),
    )


IN_MODES: Sequence[SignedWay] = tuple(
    _in_mode(f"{name}-{mode}", text, definitions, f"{mode}=False")
    for name, text, definitions in _IN_MODES
    for mode in ("graph", "graph_updates")
)
# Those of graph mode alone.
IN_GRAPH_MODE: Sequence[SignedWay] = tuple(
    _in_mode(f"{name}-in-graph-mode", text, definitions, "graph=True, graph_updates=False")
    for name, text, definitions in _IN_MODES
)
_AXES = {
    "int": "0",
    "tuple": "(0,) * len(args)",
    "list": "[0] * len(args)",
    "first": "(0, *[None] * (len(args) - 1))",
    "last": "[*[None] * (len(args) - 1), 0]",
    "tree": "tuple(jtu.tree_map(lambda leaf: 0, arg) for arg in args)",
    "tree-list": "[jtu.tree_map(lambda leaf: 0, arg) for arg in args]",
    "none": "None, axis_size=2",
    "nones": "(None,) * len(args), axis_size=2",
}
_OUT = {
    "int": "-1",
    "tuple": "(0, -1)",
    "list": "[0, 0]",
    "tree": "(jtu.tree_map(lambda leaf: -1, args[0]), 0)",
}
_ARGNUMS = {
    "zero": "0",
    "negative": "-1",
    "last": "len(args) - 1",
    "tuple": "(0,)",
    "list": "[0]",
    "pair": "(0, 1)",
    "unsorted": "(1, 0)",
    "mixed": "[-1, 0]",
}
_DONATED = {
    "zero": "donate_argnums=0",
    "negative": "donate_argnums=-1",
    "unsorted": "donate_argnums=[1, 0]",
    "name": "donate_argnames=names[0]",
    "name-and-number": "donate_argnums=(1,), donate_argnames=[names[0]]",
    "third-name": "donate_argnames=names[2]",
}
_PLACED = {
    "tuple": "in_shardings=(one_device(),) * len(args)",
    "list": "in_shardings=[one_device()] * len(args)",
    "one": "in_shardings=one_device()",
    "out": "out_shardings=one_device()",
}
OPTIONS: Sequence[SignedWay] = (
    *(
        _way(f"in-axes-{name}", f"nnx.vmap(function, in_axes={axes})(*args, **named)")
        for name, axes in _AXES.items()
    ),
    *(
        _way(
            f"out-axes-{name}",
            f"nnx.vmap(function, out_axes={axes})(*args, **named)",
            end="signed_pair",
        )
        for name, axes in _OUT.items()
    ),
    *(
        _losses(f"argnums-{name}", transform, f", argnums={numbers}")
        for name, numbers in _ARGNUMS.items()
        for transform in ("grad", "value_and_grad")
    ),
    *(
        _way(
            f"donate-{name}",
            f"nnx.jit(function, {options})(*jtu.tree_map(jnp.copy, args), "
            "**jtu.tree_map(jnp.copy, named))",
        )
        for name, options in _DONATED.items()
    ),
    *(
        _way(f"placed-{name}", f"nnx.jit(function, {options})(*args, **named)", DEVICE)
        for name, options in _PLACED.items()
    ),
)
BRANCHES: Sequence[SignedWay] = (
    _way("cond", "nnx.cond(jnp.asarray(True), bound, signed_tree, *args)"),
    _way("cond-other", "nnx.cond(jnp.asarray(False), bound, bound, *args)"),
    _way("switch", "nnx.switch(jnp.asarray(1), [signed_tree, bound], *args)"),
    _way("switch-tuple", "nnx.switch(jnp.asarray(0), (bound, signed_tree, bound), *args)"),
    _way("fori-loop", "nnx.fori_loop(0, 2, bound, args[0])", end="signed_step"),
    _way(
        "while-loop",
        "nnx.while_loop(signed_few, functools.partial(bound, args[-1]), args[0])",
        end="signed_growth",
    ),
)
SCANS: Sequence[SignedWay] = (
    _way(
        "scan",
        "nnx.scan(bound, in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))"
        "(signed_row(args[0]), args[1])",
        _ROW,
        end="signed_pair",
        jax="jax.lax.scan(bound, signed_row(args[0]), args[1])",
    ),
    _way(
        "scan-default-axes",
        "nnx.scan(bound)(signed_row(args[0]), args[1])",
        _ROW,
        end="signed_pair",
        jax="jax.lax.scan(bound, signed_row(args[0]), args[1])",
    ),
    _way(
        "scan-no-axes",
        "nnx.scan(bound, in_axes=None, out_axes=0, length=2)(*args)",
        jax="jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), bound(*args))",
    ),
    _way(
        "scan-pairs",
        "nnx.scan(bound, in_axes=0, out_axes=(0, 0))(*args)",
        end="signed_pair",
        jax="jax.vmap(bound)(*args)",
    ),
    _way(
        "scan-reverse",
        "nnx.scan(bound, reverse=True, unroll=2)(signed_row(args[0]), args[1])",
        _ROW,
        end="signed_pair",
        jax="jax.lax.scan(bound, signed_row(args[0]), args[1], reverse=True, unroll=2)",
    ),
)
_MORE = """\
def signed_more(tree):
    return jtu.tree_map(lambda leaf: leaf + 1, tree)
"""
# Of a function of one tree, in each mode.
OF_ONE_TREE: Sequence[SignedWay] = tuple(
    _way(
        f"{name}{mode}",
        text.replace("$mode", f"{mode[1:]}=False").replace(", =False", ""),
        _MORE,
        end=end,
        jax=_of_jax(text.replace(", $mode", "")),
    )
    for name, text, end in (
        ("while-loop-body", "nnx.while_loop(signed_few, function, args[0], $mode)", "signed_more"),
        ("while-loop-test", "nnx.while_loop(function, signed_more, args[0], $mode)", "signed_few"),
    )
    for mode in ("", "-graph", "-graph_updates")
)
_CALL = "function(*args, **named)"
# What an initialiser returns is held, with metadata, by what the wrapped one returns.
INITIALIZERS: Sequence[SignedWay] = tuple(
    _way(name, f"{text}(*args, **named).raw_value", jax=_CALL)
    for name, text in (
        ("with-metadata", "nnx.with_metadata(function, note='made')"),
        ("with-partitioning", "nnx.with_partitioning(function, ('rows',))"),
        ("with-both", "nnx.with_partitioning(function, ('rows',), note='made')"),
        ("in-jit", "nnx.with_metadata(jax.jit(function), note='made')"),
    )
)
