"""Flax NNX: for trees of arrays, a transform does what the transform of JAX does."""

from __future__ import annotations

from hypothesis_pytrees.core.addressed import addressed
from hypothesis_pytrees.core.signatures_wrapped import WRAPPED
from hypothesis_pytrees.nnx.calls.holder_calls import holder_calls
from hypothesis_pytrees.nnx.calls.signature_ways import (
    BRANCHES,
    IN_GRAPH_MODE,
    IN_MODES,
    OF_ONE_TREE,
    OPTIONS,
    PLAIN,
    SCANS,
)
from hypothesis_pytrees.trees.calls.signed_calls import signed_calls
from treelaws.equality import same

from .transforms import law

# Quote: "They use the same APIs and behave like the JAX transforms when only working with pytrees
# of `jax.Array`s."
_AS_JAX = "https://flax.readthedocs.io/en/latest/guides/transforms.html"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_DERIVATIVES = {"grad", "value_and_grad", "custom_vjp"}

# `nnx.eval_shape` documents `graph` as a parameter of its own; the function does not get it.
_GRAPH_BY_NAME = {"transform:eval_shape", "names:module", "signature:second-by-name"}
# `jax.custom_vjp` binds by the shown signature, too: `jax.calls.a_rule_leaves_the_wrapper_alone`.
# `jax.lax.while_loop` raises IndexError for a partial whose shown signature has no parameter left.
_OF_JAX = {"transform:custom_vjp", "transform:while_loop"}
_OF_WRAPPERS = tuple(one for one in (*PLAIN, *BRANCHES) if not _OF_JAX & set(one.kind.features))


def _jax_takes(recipe):
    """Return whether the transform of JAX takes the call: nothing is asked where it refuses."""
    try:
        recipe.run()["wanted"]()
    except (TypeError, ValueError):
        return False
    return True


def _names_no_option(recipe):
    return not recipe.features >= _GRAPH_BY_NAME


def _calls(ways):
    return signed_calls(ways).filter(_names_no_option).filter(_jax_takes)


def _gives_both_by_position(recipe):
    return "signature:second-by-name" not in recipe.features


@law(
    "a function of trees of arrays with any signature gives, under each transform, what it gives "
    "under that of JAX",
    source=_AS_JAX,
    needs={"jit", "vmap", "remat", "eval_shape", "checkify"} | _DERIVATIVES,
    case=_calls(PLAIN),
    weight=6,
)
def a_function_of_arrays_is_transformed_as_by_jax(lib, case):
    same(case.run(), case.wanted())


@law(
    "a transform calls the object, module, function or partial that it is given, whatever "
    "attributes that has",
    source=_AS_JAX,
    level="should",
    needs={"jit", "vmap", "remat", "scan"} | _DERIVATIVES,
    case=holder_calls((*PLAIN, *BRANCHES, *SCANS, *OF_ONE_TREE, *IN_MODES)).filter(_jax_takes),
)
def attributes_of_a_function_change_no_call(lib, case):
    same(case.run(), case.wanted())


@law(
    "axes, numbers of arguments, placements and donations of trees of arrays mean what they mean "
    "to JAX, for functions with any signature",
    source=_AS_JAX,
    needs={"jit", "vmap", "grad", "value_and_grad"},
    case=_calls(OPTIONS),
    parents=[a_function_of_arrays_is_transformed_as_by_jax],
)
def options_are_those_of_jax(lib, case):
    same(case.run(), case.wanted())


@law(
    "branches and bodies of loops have any signature that JAX takes",
    source=_AS_JAX,
    needs={"cond", "switch", "fori_loop", "while_loop"},
    case=_calls(BRANCHES),
)
def branches_and_bodies_have_any_signature(lib, case):
    same(case.run(), case.wanted())


@law(
    "`scan` of a function of trees of arrays with any signature is the scan of JAX",
    source=f"{_API}#flax.nnx.scan",
    level="should",
    needs={"scan"},
    # A scan gives its function the carry and the row by position.
    case=signed_calls(SCANS).filter(_gives_both_by_position).filter(_jax_takes),
)
def a_scan_of_arrays_is_that_of_jax(lib, case):
    same(case.run(), case.wanted())


@law(
    "a transform that takes modules as trees, or propagates no change of their graph, takes a "
    "function of trees of arrays as JAX does",
    source=_AS_JAX,
    needs={"tree_mode"} | _DERIVATIVES,
    case=_calls((*IN_MODES, *IN_GRAPH_MODE)),
    parents=[a_function_of_arrays_is_transformed_as_by_jax],
    weight=6,
)
def a_function_is_transformed_as_by_jax_in_each_mode(lib, case):
    same(case.run(), case.wanted())


@law(
    "a function of trees of arrays made by `functools.wraps` or with `__signature__`, whatever "
    "signature it shows, gives under each transform what it gives under that of JAX",
    source=_AS_JAX,
    level="should",
    needs={"jit", "vmap", "remat", "eval_shape", "checkify", "cond", "switch"} | _DERIVATIVES,
    case=signed_calls(_OF_WRAPPERS, WRAPPED).filter(_jax_takes),
    parents=[a_function_of_arrays_is_transformed_as_by_jax],
)
def a_wrapper_is_transformed_as_by_jax(lib, case):
    same(case.run(), case.wanted())


@law(
    "`jit` takes static arguments by number and by name, in any order, made at run time or from "
    "the end, as JAX does",
    source=_AS_JAX,
    level="should",
    needs={"jit"},
    case=addressed("static"),
)
def static_arguments_are_addressed_as_for_jax(lib, case):
    wanted = case.function(*case.args, **case.named)
    same(lib.jit(case.function, **case.options)(*case.args, **case.named), wanted)
