"""JAX: callbacks under nested transformations."""

from __future__ import annotations

import importlib

import jax
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.trees.calls.callback_levels import callbacks_under_levels
from hypothesis_pytrees.trees.calls.ordered_calls import ordered_programs
from treelaws.equality import refuses, same

from .callbacks import _array, law

_GUIDE = "https://docs.jax.dev/en/latest/201/callbacks.html"


@law(
    "under `vmap` and `scan`, also nested, a `pure_callback` with a `vmap_method` gives what its "
    "function gives, for any tree of arguments and of results, and so does an unordered "
    "`io_callback`, except in a `scan` under `vmap`",
    source=f"{_GUIDE}#jax-201-callbacks-flavors",
    level="should",
    case=callbacks_under_levels(),
)
def mapped_callbacks_give_what_the_function_gives(lib, case):
    # JAX loads this submodule only if it is imported by name.
    importlib.import_module("jax.experimental")
    seen = lambda *args: case.host(*jtu.tree_map(np.asarray, args))
    called = lambda *args: case.call(lib, seen, jax.eval_shape(case.host, *args), args)
    found = case.under(called)(*case.args)
    same(jtu.tree_map(_array, found), jtu.tree_map(_array, case.under(case.host)(*case.args)))


@law(
    "an ordered `io_callback` is called as often as the program reaches it, in the order of the "
    "program, with the tree that it has then, in loops, branches and compiled functions",
    source=f"{_GUIDE}#jax-201-io-callback",
    level="should",
    case=ordered_programs(),
)
def ordered_callbacks_are_called_in_order(lib, case):
    importlib.import_module("jax.experimental")
    seen, wanted = [], []
    io = lib.experimental.io_callback
    step = lambda number, tree: io(_recorder(seen), _shapes(tree), number, tree, ordered=True)
    found = case.program(case.staged, step, case.tree)
    lib.effects_barrier()
    last = case.program(case.python, _recorder(wanted), case.tree)
    same((seen, jtu.tree_map(_array, found)), (wanted, jtu.tree_map(_array, last)))


@law(
    "`vmap` of a program of loops, branches and compiled functions that passes its tree to an "
    "ordered `io_callback` raises an error, while the program alone runs",
    source=f"{_GUIDE}#jax-201-io-callback",
    level="should",
    case=ordered_programs(),
)
def ordered_callbacks_are_not_mapped(lib, case):
    importlib.import_module("jax.experimental")
    io = lib.experimental.io_callback
    step = lambda number, tree: io(_recorder([]), _shapes(tree), number, tree, ordered=True)
    program = lambda tree: case.program(case.staged, step, tree)
    jax.block_until_ready(program(case.tree))
    # The guide names no type: `vmap` of a `while_loop` raises a plain Exception in some releases.
    refuses(Exception, lambda: lib.vmap(program)(jtu.tree_map(_rows, case.tree)))


def _recorder(seen):
    """Return a function which notes its arguments and gives the next tree."""

    def record(number, tree):
        plain = jtu.tree_map(np.asarray, tree)
        seen.append((int(number), plain))
        return jtu.tree_map(lambda leaf: leaf + leaf.dtype.type(int(number)), plain)

    return record


def _shapes(tree):
    return jtu.tree_map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), tree)


def _rows(leaf):
    return np.stack([leaf, leaf])
