"""JAX: functions of any signature under each transform, and arguments by number and by name."""

from __future__ import annotations

import jax.tree_util as jtu

from hypothesis_pytrees.core.addressed import addressed
from hypothesis_pytrees.core.signatures_wrapped import WRAPPED
from hypothesis_pytrees.trees.calls.signature_ways import CALLS, CUSTOM, RULED
from hypothesis_pytrees.trees.calls.signed_calls import signed_calls
from hypothesis_pytrees.trees.calls.static_ways import static_calls
from treelaws.core.law import Topic
from treelaws.equality import equal, same

law = Topic("jax.calls", "JAX: calls of functions of any signature", family="jax")
_JIT = "https://docs.jax.dev/en/latest/_autosummary/jax.jit.html"

# Forms of calls that give their second argument by name.
_ONE_BY_POSITION = {
    f"signature:{name}"
    for name in (
        *("second-by-name", "wraps-renamed", "wraps-positional-only"),
        *("wraps-swapped", "wraps-reordered"),
    )
}


@law(
    "a function of any signature gives, under each transform, what a plain call or its derivative "
    "gives",
    source=_JIT,
    level="should",
    case=signed_calls((*CALLS, *RULED), of="jax").filter(lambda recipe: _fits(recipe.features)),
    weight=10,
)
def each_transform_takes_any_signature(lib, case):
    same(case.run(lib), case.wanted())


@law(
    "a function made by `functools.wraps` or with `__signature__`, whatever signature it shows, "
    "gives under each transform what a plain call or its derivative gives",
    source=_JIT,
    level="observed",
    case=signed_calls(CALLS, WRAPPED, of="jax").filter(lambda recipe: _fits(recipe.features)),
    parents=[each_transform_takes_any_signature],
)
def each_transform_calls_the_wrapper(lib, case):
    same(case.run(lib), case.wanted())


@law(
    "a function from `custom_jvp` or `custom_vjp` returns what its wrapper returns, whatever "
    "signature that shows",
    # Quote: "Instances are callables that behave similarly to the underlying function".
    source="https://docs.jax.dev/en/latest/_autosummary/jax.custom_jvp.html",
    level="observed",
    case=signed_calls(CUSTOM, WRAPPED, of="jax").filter(
        lambda recipe: "signature:wraps-without-keyword" not in recipe.features
    ),
    parents=[each_transform_calls_the_wrapper],
)
def a_rule_leaves_the_wrapper_alone(lib, case):
    same(case.run(lib), case.wanted())


@law(
    "`jit` takes static arguments by number and by name, in any order, made at run time or from "
    "the end, whether they are given by position or by name",
    source=_JIT,
    level="should",
    case=addressed("static"),
)
def static_arguments_are_those_addressed(lib, case):
    wanted = case.function(*case.args, **case.named)
    for _ in range(2):
        same(lib.jit(case.function, **case.options)(*case.args, **case.named), wanted)


@law(
    "a function with static arguments gives, under each transform that takes them, what a plain "
    "call gives, whether they come by position, by name or by default",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.checkpoint.html",
    level="should",
    case=static_calls(),
)
def each_transform_takes_static_arguments(lib, case):
    """Numbers are Python's or NumPy's, one or several, also from the end."""
    same(case.run(lib), case.function(*case.args, **case.named))


@law(
    "`jit` donates the arguments that numbers and names address, and no others, in whatever order "
    "keywords come",
    source=_JIT,
    level="should",
    # No document says what a negative number means here, and releases differ.
    case=addressed("donate").filter(lambda recipe: "address:negative" not in recipe.features),
)
def donated_arguments_are_those_addressed(lib, case):
    lowered = lib.jit(case.function, **case.options).lower(*case.args, **case.named)
    args, named = lowered.args_info
    donated = {**dict(zip(case.names, args, strict=False)), **named}
    found = [name for name, info in donated.items() if any(_flags(info))]
    equal(sorted(found), case.meant)


def _flags(info):
    return [leaf.donated for leaf in jtu.tree_leaves(info, is_leaf=lambda x: hasattr(x, "donated"))]


# A rule gets all arguments by position, as arrays.
_RULED = {
    f"way:{name}" for one in ("jvp", "vjp") for name in (f"custom-{one}", f"grad-of-custom-{one}")
}


def _fits(features):
    """Return whether the way has the arguments that it needs by position."""
    by_name_alone = {"parameters:by-name-alone", "arguments:by-name"} <= features
    if _RULED & features and (by_name_alone or "signature:default-text" in features):
        return False
    needing_two = {"way:cond", "way:switch", "way:grad-unsorted"} & features
    return not (features & _ONE_BY_POSITION and needing_two)
