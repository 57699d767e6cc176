"""JAX: compiled functions and loops of which parts are unused, constant or handed on."""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.trees.calls.forwarded_programs import (
    forwarding_functions,
    forwarding_loops,
)
from treelaws.core.law import Topic
from treelaws.equality import equal, same

law = Topic("jax.forwarding", "JAX: parts that programs hand on", family="jax")
_API = "https://docs.jax.dev/en/latest/_autosummary"


@law(
    "a compiled function gives what the function gives, also where arguments are unused, returned "
    "as they are or donated, and results occur twice or are constant",
    source=f"{_API}/jax.jit.html",
    level="should",
    case=forwarding_functions(),
    weight=0.3,
)
def compiled_functions_hand_on_their_arguments(lib, case):
    wanted = _numbers(case.function(*case.rebuild().args))
    same(_numbers(_called(lib, case)), wanted)


@law(
    "a compiled function deletes no array of an argument that is not donated",
    source=f"{_API}/jax.jit.html",
    level="should",
    case=forwarding_functions(),
    weight=0.3,
)
def arguments_that_are_not_donated_stay(lib, case):
    _called(lib, case)
    equal([leaf.is_deleted() for leaf in jtu.tree_leaves(case.kept) if leaf.is_deleted()], [])


@law(
    "a loop, a branch or a compiled function that swaps, repeats, replaces or only hands on parts "
    "of what it carries is its steps without it, and so are its derivatives and batches",
    source="https://docs.jax.dev/en/latest/control-flow.html",
    level="should",
    case=forwarding_loops(),
    weight=0.2,
)
def loops_hand_on_their_parts(lib, case):
    found = case.taken(case.program(case.staged))
    same(_numbers(found), _numbers(case.taken(case.program(case.python))))


def _called(lib, case):
    with warnings.catch_warnings():
        # JAX warns of donated arrays that no result can use.
        warnings.simplefilter("ignore")
        return case.call(lib.jit(case.function, **case.options))


def _numbers(tree):
    """Return a tree with copies that are arrays without weak types."""
    is_key = lambda leaf: jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    plain = lambda leaf: jax.random.key_data(leaf) if is_key(leaf) else leaf
    strong = lambda leaf: jax.device_get(plain(jnp.asarray(leaf)))
    return jtu.tree_map(strong, tree)
