"""Flax: states that do not fit their target, and arrays that are saved in pieces."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any
from unittest import mock

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.flax.frozen import FROZEN_DICTS
from hypothesis_pytrees.flax.states import PACKED, PLAIN_CONTAINERS, saved_trees
from hypothesis_pytrees.flax.structs import FLAX_STRUCTS
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, NUMPY_ARRAYS, pool
from hypothesis_pytrees.trees.positions import bind_tree
from treelaws.core.law import Topic
from treelaws.core.mismatch import first_line
from treelaws.equality import same, true
from treelaws.laws import _watch as watch

from .serialization import bytes_restore_the_tree, state_dict_restores_the_tree

law = Topic("flax.restore", "Flax: restoring states", family="flax")
_DOCS = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.serialization.html"
_FROM = f"{_DOCS}#flax.serialization.from_state_dict"
_PACK = f"{_DOCS}#flax.serialization.msgpack_serialize"
# A commit of which the lines are known.
_COMMIT = "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0"
_TESTS = f"{_COMMIT}/tests/serialization_test.py#L463-L553"
_EXPLAINED: tuple[Kind, ...] = (*PLAIN_CONTAINERS, *FLAX_STRUCTS, *FROZEN_DICTS)
_SIZED: tuple[Kind, ...] = tuple(
    kind for kind in _EXPLAINED if kind.name not in ("dict", "FrozenDict")
)
# A tuple has no bytes of its own; a state dict has none either.
_UNTUPLED: tuple[Kind, ...] = tuple(kind for kind in PACKED if kind.name != "tuple")
_ARRAYS = pool((*JAX_ARRAYS, *NUMPY_ARRAYS))
_MARK = b"__msgpack_chunked_array__"


@st.composite
def _mismatches(draw: st.DrawFn, kinds: tuple[Kind, ...] = _EXPLAINED) -> Recipe:
    """Bind `tree`, `place`, a number that stands for one of its nodes, and the branch's `name`."""
    scope = Scope()
    roots = tuple(kind for kind in kinds if kind.arity)
    bind_tree(draw, scope, saved_trees(kinds=_EXPLAINED, roots=roots, history=False))
    scope.bind("place", repr(draw(st.integers(0, 3))))
    scope.bind("name", draw(st.sampled_from(("'.'", "'model'"))))
    return scope.recipe()


@st.composite
def _pieces(draw: st.DrawFn, kinds: tuple[Kind, ...]) -> Recipe:
    """Bind `tree`, of arrays, and `limit`, the number of bytes that one piece may have."""
    scope = Scope()
    bind_tree(draw, scope, saved_trees(_ARRAYS, kinds=kinds, max_leaves=4, history=False))
    scope.bind("limit", repr(draw(st.sampled_from((8, 1, 4, 12, 23)))))
    return scope.recipe()


@law(
    "an entry that the state lacks is a ValueError that names the path",
    source=_TESTS,
    level="should",
    needs={"serialization"},
    case=_mismatches(),
    parents=[state_dict_restores_the_tree],
)
def missing_entry_is_refused_by_its_path(lib, case):
    """Asked twice: what one refusal notes of the path must be gone at the next."""
    state = lib.serialization.to_state_dict(case.tree)
    path, part = _chosen(case, state)
    if part:
        part.pop(sorted(part)[0])
        _refused_at(path, lambda: lib.serialization.from_state_dict(case.tree, state, case.name))


@law(
    "an entry too many for a list, a tuple or a dataclass is a ValueError that names the path",
    source=_TESTS,
    level="should",
    needs={"serialization"},
    case=_mismatches(_SIZED),
    parents=[state_dict_restores_the_tree],
)
def unknown_entry_is_refused_by_its_path(lib, case):
    """A dict takes what it knows and leaves the rest."""
    state = lib.serialization.to_state_dict(case.tree)
    path, part = _chosen(case, state, sized=True)
    part["unknown"] = 1
    _refused_at(path, lambda: lib.serialization.from_state_dict(case.tree, state, case.name))


@law(
    "a state that is refused leaves the target as it was",
    source=_FROM,
    level="should",
    needs={"serialization"},
    case=_mismatches(),
    parents=[missing_entry_is_refused_by_its_path],
)
def refused_state_leaves_the_target_alone(lib, case):
    state = lib.serialization.to_state_dict(case.tree)
    _, part = _chosen(case, state)
    part.clear()
    taken = watch.snapshot(case.tree)
    _refusal(lambda: lib.serialization.from_state_dict(case.tree, state))
    true(not watch.changes_since(taken), watch.changes_since(taken), "an untouched target")


@law(
    "an array above MAX_CHUNK_SIZE comes back as it was",
    source=_PACK,
    needs={"serialization"},
    case=_pieces(_EXPLAINED),
    parents=[bytes_restore_the_tree],
)
def array_in_pieces_comes_back(lib, case):
    with _limit(lib, case.limit):
        encoded = lib.serialization.to_bytes(case.tree)
    wanted = jtu.tree_map(lambda x: np.asarray(x) if isinstance(x, jax.Array) else x, case.tree)
    same(lib.serialization.from_bytes(case.tree, encoded), wanted)


@law(
    "every array above MAX_CHUNK_SIZE is saved in pieces, wherever it stands",
    source=_PACK,
    needs={"serialization"},
    case=_pieces(_UNTUPLED),
)
def every_array_above_the_limit_is_in_pieces(lib, case):
    """A piece in one part is what msgpack refuses above 2**32 bytes."""
    with _limit(lib, case.limit):
        encoded = lib.serialization.msgpack_serialize(case.tree)
    sizes = [x.size * x.dtype.itemsize for x in jtu.tree_leaves(case.tree)]
    wanted = sum(size > case.limit for size in sizes)
    true(encoded.count(_MARK) == wanted, encoded.count(_MARK), f"{wanted} arrays in pieces")


def _places(tree: Any, state: Any, path: tuple[str, ...]) -> Iterator[tuple[Any, Any, Any]]:
    """Give the nodes that have a state dict: path, node, state."""
    if isinstance(tree, (list, tuple)) and not hasattr(tree, "_fields"):
        children = {str(index): child for index, child in enumerate(tree)}
    elif isinstance(tree, tuple):
        fields: Any = getattr(tree, "_fields")  # noqa: B009
        children = {name: getattr(tree, name) for name in fields}
    elif dataclasses.is_dataclass(tree):
        children = {name: getattr(tree, name) for name in state}
    elif hasattr(tree, "keys"):
        children = {str(key): tree[key] for key in tree}
    else:
        return
    yield path, tree, state
    for name, child in children.items():
        yield from _places(child, state[name], (*path, name))


def _chosen(case, state, sized=False):
    """Give the path and the state of the node that a case's number stands for."""
    places = [
        (path, part)
        for path, node, part in _places(case.tree, state, (case.name,))
        if not (sized and hasattr(node, "keys"))
    ]
    return places[case.place % len(places)]


def _refused_at(path, call):
    """Demand a ValueError that names the path, twice the same."""
    messages = [_refusal(call) for _ in range(2)]
    wanted = f"at path {'/'.join(path)}"
    true(all(text.endswith(wanted) for text in messages), messages, f"a ValueError {wanted}")


def _refusal(call):
    try:
        return f"no error: {call()!r}"
    except ValueError as raised:
        return first_line(raised)


@contextlib.contextmanager
def _limit(lib, limit):
    """Let pieces have so many bytes only, as Flax' own tests do."""
    module = inspect.getmodule(lib.serialization.msgpack_serialize)
    with mock.patch.object(module, "MAX_CHUNK_SIZE", limit, create=True):
        yield
