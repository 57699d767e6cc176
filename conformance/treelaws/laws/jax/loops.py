"""JAX: loops over trees, `lax.map`, `scan` and `associative_scan`, against loops of Python."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.batching import batched
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import same

law = Topic("jax.loops", "JAX: loops over trees", family="jax")
_API = "https://docs.jax.dev/en/latest/_autosummary"
_SCAN = f"{_API}/jax.lax.scan.html"
# Functions of trees and what each does to one leaf.
_CHANGES = ("jnp.flip(leaf)", "leaf", "jnp.zeros_like(leaf)", "jnp.stack([leaf, leaf])")


def _wide(size: int) -> st.SearchStrategy[Recipe]:
    """Draw an array with this many rows that is of 64 bits if there are such types."""
    texts = (f"np.arange({size}) / 3", f"np.arange({size}) + 2**40", f"np.ones(({size}, 2)) * 0.1")
    kinds = (Kind("leaf", f"jax.device_put({text})", (), ("leaf:double",)) for text in texts)
    return pool(tuple(kinds))


@st.composite
def _rows(draw: st.DrawFn, *, doubles: bool = False) -> Recipe:
    """Bind `tree`, of arrays with `size` rows, `change`, which is for one row, and options.

    `batch` is a batch size, with feature `batch:large` if it is above `size`; `unroll` is a number
    of steps and `reverse` a direction, with feature `loop:reverse`. Leaves of different ranks have
    the feature `leaves:several-ranks`.

    Args:
        doubles: half of the arrays are of 64 bits if there are such types; default `False`.
    """
    scope = Scope()
    size = draw(st.integers(1, 4))
    scope.bind("size", str(size))
    leaves = batched(size) | _wide(size) if doubles else batched(size)
    drawn = draw_tree(draw, scope, leaves=leaves, kinds=(*CONTAINERS, *NODES), max_leaves=4)
    scope.bind("tree", drawn)
    ranks = {leaf.ndim for leaf in jtu.tree_leaves(names_of(scope)["tree"])}
    if not ranks:
        scope.rebind("tree", f"(tree, jax.device_put(np.int32(np.arange({size}))))")
    if len(ranks) > 1:
        scope.note("leaves:several-ranks")
    change = draw(st.sampled_from(_CHANGES))
    scope.bind("change", f"lambda tree: jtu.tree_map(lambda leaf: {change}, tree)")
    batch = draw(st.sampled_from((1, 2, 3, 9)))
    scope.bind("batch", str(batch))
    if batch > size:
        scope.note("batch:large")
    scope.bind("unroll", str(draw(st.sampled_from((1, 2, 5, True)))))
    reverse = draw(st.booleans())
    scope.bind("reverse", str(reverse))
    if reverse:
        scope.note("loop:reverse")
    return scope.recipe()


_CASES = _rows()


@law(
    "`lax.map` returns the stacked results for each row of a tree",
    source=f"{_API}/jax.lax.map.html",
    case=_CASES,
)
def map_is_a_loop(lib, case):
    wanted = _stacked([case.change(row) for row in _rows_of(case)])
    same(_strong(lib.lax.map(case.change, case.tree)), wanted)


@law(
    "`lax.map` with a batch size returns the stacked results for each row of a tree",
    source=f"{_API}/jax.lax.map.html",
    case=_CASES,
    parents=[map_is_a_loop],
)
def map_in_batches_is_a_loop(lib, case):
    """Also if the batch size divides the number of rows, or is larger."""
    wanted = _stacked([case.change(row) for row in _rows_of(case)])
    same(_strong(lib.lax.map(case.change, case.tree, batch_size=case.batch)), wanted)


@law(
    "`scan` carries a tree through the rows of another and stacks what each step returns, in both "
    "directions and unrolled",
    source=_SCAN,
    case=_CASES,
)
def scan_is_a_loop(lib, case):
    def step(carry, row):
        return (carry[0] + 1, row), {"changed": case.change(row), "before": carry}

    rows = _rows_of(case)
    options = {"reverse": case.reverse, "unroll": case.unroll}
    last, found = lib.lax.scan(step, (jnp.int32(0), rows[0]), case.tree, **options)
    carry, results = _looped(step, (jnp.int32(0), rows[0]), rows, reverse=case.reverse)
    same(_strong(last), _strong(carry))
    same(_strong(found), _stacked(results))


@law(
    "`scan` without a tree to go over takes `length` steps, in both directions, and stacks what "
    "each returns",
    source=_SCAN,
    case=_CASES,
)
def scan_of_a_length_takes_as_many_steps(lib, case):
    def step(count, _):
        return count + 1, (count, case.tree)

    last, found = lib.lax.scan(step, jnp.int32(0), None, length=case.size, reverse=case.reverse)
    counts = [jnp.int32(index) for index in range(case.size)]
    wanted = [(count, case.tree) for count in (counts[::-1] if case.reverse else counts)]
    same(_strong(last), jnp.int32(case.size))
    same(_strong(found), _stacked(wanted))


@law(
    "`associative_scan` of a function that returns its second argument returns the rows, and of "
    "one that returns its first the first row",
    source=f"{_API}/jax.lax.associative_scan.html",
    case=_CASES,
)
def associative_scan_accumulates(lib, case):
    """In reverse the function gets the rows in the other order."""
    rows = _rows_of(case)
    first = rows[-1] if case.reverse else rows[0]
    second = lib.lax.associative_scan(lambda one, other: other, case.tree, reverse=case.reverse)
    found = lib.lax.associative_scan(lambda one, other: one, case.tree, reverse=case.reverse)
    same(_strong(second), _stacked(rows))
    same(_strong(found), _stacked([first] * case.size))


@law(
    "`associative_scan` along another axis does what it does along the first one",
    source=f"{_API}/jax.lax.associative_scan.html",
    case=_CASES,
    parents=[associative_scan_accumulates],
)
def associative_scan_goes_along_an_axis(lib, case):
    rows = _rows_of(case)
    first = rows[-1] if case.reverse else rows[0]
    inner = jtu.tree_map(lambda leaf: jnp.asarray(leaf)[None], case.tree)
    options = {"reverse": case.reverse, "axis": 1}
    found = lib.lax.associative_scan(lambda one, other: one, inner, **options)
    outer = jtu.tree_map(lambda leaf: leaf[0], found)
    same(_strong(outer), _stacked([first] * case.size))


@law(
    "a negative axis of `associative_scan` is counted from the last axis of each leaf",
    source=f"{_API}/jax.lax.associative_scan.html",
    level="should",
    case=_CASES,
    parents=[associative_scan_goes_along_an_axis],
)
def associative_scan_counts_axes_from_the_end(lib, case):
    """The documentation asks for arrays "each with an axis dimension of size num_elems"."""
    rows = _rows_of(case)
    first = rows[-1] if case.reverse else rows[0]
    moved = jtu.tree_map(lambda leaf: jnp.moveaxis(leaf, 0, -1), case.tree)
    options = {"reverse": case.reverse, "axis": -1}
    found = lib.lax.associative_scan(lambda one, other: one, moved, **options)
    back = jtu.tree_map(lambda leaf: jnp.moveaxis(leaf, -1, 0), found)
    same(_strong(back), _stacked([first] * case.size))


@law(
    "`fori_loop` carries a tree through as many steps as a loop of Python",
    source=f"{_API}/jax.lax.fori_loop.html",
    case=_CASES,
)
def fori_loop_is_a_loop(lib, case):
    """The bounds of the first loop are known when it is traced, so that it may be unrolled."""
    start, step = _counting(case)
    wanted = start
    for index in range(case.size):
        wanted = step(index, wanted)
    looped = lib.jit(lambda end: lib.lax.fori_loop(0, end, step, start))
    known = lib.lax.fori_loop(0, case.size, step, start, unroll=case.unroll)
    same(_strong(known), _strong(wanted))
    same(_strong(looped(case.size)), _strong(wanted))


@law(
    "`while_loop` carries a tree for as long as its condition holds",
    source=f"{_API}/jax.lax.while_loop.html",
    case=_CASES,
)
def while_loop_is_a_loop(lib, case):
    start, step = _counting(case)
    wanted = start
    while wanted[0] < case.size:
        wanted = step(wanted[0], wanted)
    left = lambda carry: carry[0] < case.size
    last = lib.lax.while_loop(left, lambda carry: step(carry[0], carry), start)
    same(_strong(last), _strong(wanted))


def _counting(case):
    """Return the carry of a loop and its step, which counts and keeps this row and the last."""
    arrays = jtu.tree_map(jnp.asarray, case.tree)

    def row(index):
        return jtu.tree_map(lambda leaf: leaf[index], arrays)

    start = jnp.int32(0), row(0), jtu.tree_map(jnp.zeros_like, row(0))
    return start, lambda index, carry: (carry[0] + 1, row(index), carry[1])


def _looped(step, carry, rows, *, reverse):
    """Return the last carry and the results of a loop, each result at the place of its row."""
    results = []
    for row in reversed(rows) if reverse else rows:
        carry, result = step(carry, row)
        results.append(result)
    return carry, results[::-1] if reverse else results


def _rows_of(case):
    """Return the rows of the tree, as trees of its structure."""
    arrays = jtu.tree_map(jnp.asarray, case.tree)
    return [jtu.tree_map(lambda leaf, row=row: leaf[row], arrays) for row in range(case.size)]


def _stacked(results):
    return _strong(jtu.tree_map(lambda *leaves: jnp.stack(leaves), *results))


def _strong(tree):
    """Return the leaves without weak types, of which nothing is promised."""
    return jtu.tree_map(lambda leaf: jax.lax.convert_element_type(leaf, leaf.dtype), tree)
