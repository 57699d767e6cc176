"""Transforms of JAX of functions with signatures of every form, beside plain calls, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.trees.calls.signed_calls import SignedWay

_CHECKIFY = "from jax.experimental import checkify"
EVALUATED = """\
def signed_evaluated(closed, shapes, arguments):
    made = jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *jtu.tree_leaves(arguments))
    return jtu.tree_unflatten(jtu.tree_structure(shapes), made)
"""
STACKED = """\
def signed_stacked(function, args, named):
    rows = [jtu.tree_map(lambda leaf: leaf[row], (args, named)) for row in range(2)]
    results = [function(*args, **named) for args, named in rows]
    return jtu.tree_map(lambda *leaves: jnp.stack(leaves), *results)
"""
_LINEAR = """\
def signed_linear(pair, tangents):
    value, linear = pair
    return value, linear(*tangents)
"""
# The converted function also takes what was hoisted from the closure.
_CONVERTED = """\
def signed_converted(function, hoisted, args):
    return function(*args, *hoisted)
"""
# Rules of the user that are what JAX derives by itself.
_RULED = """\
def signed_with_gradient(function):
    @functools.wraps(function)
    def ruled(*args, **named):
        return jax.vjp(functools.partial(function, **named), *args)

    return jax.custom_gradient(ruled)
"""
_CUSTOM_JVP = """\
def signed_custom_jvp(function):
    custom = jax.custom_jvp(function)
    custom.defjvp(lambda primals, tangents: jax.jvp(function, primals, tangents))
    return custom
"""
_CUSTOM_VJP = """\
def signed_custom_vjp(function):
    custom = jax.custom_vjp(function)
    custom.defvjp(lambda *args: jax.vjp(function, *args), lambda pull, given: pull(given))
    return custom
"""
_CALL = "function(*args, **named)"
# The derivative of a function that closes over all but one argument has no signature to get wrong.
FIRST_GRADIENT = "jax.grad(lambda one: function(one, *args[1:], **named))(args[0])"
LAST_GRADIENT = "jax.grad(lambda one: function(*args[:-1], one, **named))(args[-1])"


def plain_way(name: str, text: str, *definitions: str, wanted: str = _CALL) -> SignedWay:
    """Return a way that is to equal the call, or another text.

    Args:
        name: the feature of a recipe that takes it is `way:<name>`.
        text: the expression.
        definitions: texts of the functions that the expressions need.
        wanted: what it is to equal; default the call; a derivative is one of a scalar function.
    """
    end = "signed_loss" if "grad(" in text else "signed_tree"
    return SignedWay(way(name, text, *definitions), end, wanted)


_pw = plain_way
CALLS: Sequence[SignedWay] = (
    _pw("jit", "jax.jit(function)(*args, **named)"),
    _pw("jit-in-jit", "jax.jit(jax.jit(function))(*args, **named)"),
    _pw("lowered", "jax.jit(function).lower(*args, **named).compile()(*args, **named)"),
    _pw("traced", "jax.jit(function).trace(*args, **named).lower().compile()(*args, **named)"),
    _pw("checkpoint", "jax.checkpoint(function)(*args, **named)"),
    _pw("checkpoint-in-jit", "jax.jit(jax.checkpoint(function))(*args, **named)"),
    _pw("named-call", "jax.named_call(function, name='called')(*args, **named)"),
    _pw("checkify", "checkify.checkify(function)(*args, **named)[1]", _CHECKIFY),
    _pw(
        "jaxpr",
        "signed_evaluated(*jax.make_jaxpr(function, return_shape=True)(*args, **named), "
        "(args, named))",
        EVALUATED,
    ),
    _pw(
        "closure-convert", "signed_converted(*jax.closure_convert(bound, *args), args)", _CONVERTED
    ),
    _pw(
        "vmap",
        "jax.vmap(function)(*args, **named)",
        STACKED,
        wanted="signed_stacked(function, args, named)",
    ),
    _pw(
        "vmap-list",
        "jax.vmap(function, in_axes=[0] * len(args))(*args, **named)",
        STACKED,
        wanted="signed_stacked(function, args, named)",
    ),
    _pw("grad", "jax.grad(function)(*args, **named)", wanted=FIRST_GRADIENT),
    _pw("grad-last", "jax.grad(function, argnums=-1)(*args, **named)", wanted=LAST_GRADIENT),
    _pw(
        "grad-unsorted",
        "jax.grad(function, argnums=[len(args) - 1, 0])(*args, **named)",
        wanted=f"({LAST_GRADIENT}, {FIRST_GRADIENT})",
    ),
    _pw(
        "value-and-grad",
        "jax.value_and_grad(function)(*args, **named)",
        wanted=f"({_CALL}, {FIRST_GRADIENT})",
    ),
    _pw(
        "grad-of-jit",
        "jax.grad(jax.jit(function))(*args, **named)",
        wanted=FIRST_GRADIENT,
    ),
    _pw(
        "grad-of-checkpoint",
        "jax.grad(jax.checkpoint(function))(*args, **named)",
        wanted=FIRST_GRADIENT,
    ),
    _pw("vjp", "jax.vjp(bound, *args)[0]"),
    _pw("jvp", "jax.jvp(bound, args, args)[0]"),
    _pw(
        "linearize",
        "signed_linear(jax.linearize(bound, *args), args)",
        _LINEAR,
        wanted="jax.jvp(lambda *given: function(*given, **named), args, args)",
    ),
    _pw("cond", "jax.lax.cond(True, bound, signed_tree, *args)"),
    _pw("switch", "jax.lax.switch(1, [signed_tree, bound], *args)"),
)
# Functions with rules of their own, which get all arguments by position.
RULED: Sequence[SignedWay] = (
    _pw("custom-gradient", "signed_with_gradient(function)(*args, **named)", _RULED),
    _pw(
        "grad-of-custom-gradient",
        "jax.grad(signed_with_gradient(function))(*args, **named)",
        _RULED,
        wanted=FIRST_GRADIENT,
    ),
    _pw("custom-jvp", "signed_custom_jvp(function)(*args, **named)", _CUSTOM_JVP),
    _pw(
        "grad-of-custom-jvp",
        "jax.grad(signed_custom_jvp(function))(*args, **named)",
        _CUSTOM_JVP,
        wanted=FIRST_GRADIENT,
    ),
    _pw("custom-vjp", "signed_custom_vjp(function)(*args, **named)", _CUSTOM_VJP),
    _pw(
        "grad-of-custom-vjp",
        "jax.grad(signed_custom_vjp(function))(*args, **named)",
        _CUSTOM_VJP,
        wanted=FIRST_GRADIENT,
    ),
)
# Those that bind arguments by the signature of the function.
CUSTOM = tuple(one for one in RULED if one.kind.features[0] in ("way:custom-jvp", "way:custom-vjp"))
