"""JAX: transforms of callable objects."""

from __future__ import annotations

from typing import Any

from hypothesis_pytrees.core.callables import callables
from hypothesis_pytrees.core.ways import way
from treelaws.core.law import Topic
from treelaws.equality import true
from treelaws.laws._isolated import outcome

law = Topic("jax.callables", "JAX: callable objects", family="jax")
# `jit` asks for a function that can be weakly referenced. For one that cannot, the maintainers
# prefer TypeError to a crash, and `api_test.py` demands it once the compiled function is called.
_ISSUE = "https://github.com/jax-ml/jax/issues/9541"
_JITS = (
    way("jit", "jax.jit(function)"),
    way("jit-donated", "jax.jit(function, donate_argnums=0)"),
    way("jit-inlined", "jax.jit(function, inline=True)"),
)
_PAIR = "(np.float32([1, 2]), np.float32([3, 4]))"
# Nothing is computed: the calls are made in a forked process, in which XLA has no threads.
_OTHERS = (
    way("vmap", f"jax.eval_shape(jax.vmap(function), {_PAIR})"),
    way("grad", f"jax.eval_shape(jax.grad(function), {_PAIR})"),
    way("eval-shape", f"jax.eval_shape(function, {_PAIR})"),
    way("make-jaxpr", f"jax.make_jaxpr(function)({_PAIR})"),
    way("checkpoint", f"jax.eval_shape(jax.checkpoint(function), {_PAIR})"),
    way("custom-jvp", f"jax.eval_shape(jax.custom_jvp(function), {_PAIR})"),
    way("linearize", f"jax.eval_shape(lambda tree: jax.linearize(function, tree)[0], {_PAIR})"),
    way("cond", f"jax.eval_shape(lambda t: jax.lax.cond(True, function, function, t), {_PAIR})"),
    way("map", f"jax.eval_shape(lambda tree: jax.lax.map(function, tree), {_PAIR})"),
)
# An object that gives no tree of arrays, or that has no signature, is refused with these.
_ALLOWED = ("returned", "TypeError", "ValueError", "AttributeError")


@law(
    "`jit` takes a callable of any kind or raises TypeError, again and again as they come and go",
    source=_ISSUE,
    level="should",
    case=callables(_JITS),
)
def jit_takes_or_refuses_each_callable(lib, case):
    _survives(case, ("returned", "TypeError"))


@law(
    "a transform takes a callable of any kind or raises an error, again and again as they come "
    "and go",
    source=_ISSUE,
    level="should",
    case=callables(_OTHERS),
)
def each_transform_takes_or_refuses_each_callable(lib, case):
    _survives(case, _ALLOWED)


def _survives(case: Any, allowed: tuple[str, ...]) -> None:
    """Demand that transforming callables that are dropped at once ends in one of these ways."""

    def call() -> None:
        for _ in range(case.times):
            case.wrap(case.make())

    got = outcome(call).answer
    true(got in allowed, got, " or ".join(allowed))
