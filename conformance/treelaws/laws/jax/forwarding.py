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
_DOCS = "https://docs.jax.dev/en/latest"


@law(
    "`jit(f)(first, second)` gives what `f(first, second)` gives, also where `f` does not use an "
    "argument, returns it as it is, returns it twice or returns constants, and where arguments are "
    "donated",
    source=f"{_DOCS}/_autosummary/jax.jit.html",
    level="should",
    case=forwarding_functions(),
)
def compiled_functions_give_what_functions_give(lib, case):
    wanted = _numbers(case.function(*case.rebuild().args))
    same(_numbers(_called(lib, case)), wanted)


@law(
    "a call of a compiled function deletes no array of an argument that is not donated",
    source=f"{_DOCS}/_autosummary/jax.jit.html",
    level="should",
    case=forwarding_functions(),
)
def arguments_that_are_not_donated_are_kept(lib, case):
    leaves = jtu.tree_leaves(case.kept)
    _called(lib, case)
    equal([leaf.is_deleted() for leaf in leaves], [False] * len(leaves))


@law(
    "a program of `scan`, `fori_loop`, `while_loop`, `switch`, `cond` and `jit` whose steps swap, "
    "repeat, replace or return parts of what they take gives what the same steps in plain Python "
    "give, and has the same derivatives and batches",
    source=f"{_DOCS}/201/control-flow.html",
    level="should",
    case=forwarding_loops(),
)
def control_flow_gives_what_plain_python_gives(lib, case):
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
