"""Flax: state dicts that do not fit their target, and arrays that are saved in chunks."""

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
# A fixed commit, so that its line numbers stay correct.
_COMMIT = "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0"
_TESTS = f"{_COMMIT}/tests/serialization_test.py#L463-L553"
_EXPLAINED: tuple[Kind, ...] = (*PLAIN_CONTAINERS, *FLAX_STRUCTS, *FROZEN_DICTS)
_SIZED: tuple[Kind, ...] = tuple(
    kind for kind in _EXPLAINED if kind.name not in ("dict", "FrozenDict")
)
# msgpack has no type for tuples, and a state dict contains none.
_UNTUPLED: tuple[Kind, ...] = tuple(kind for kind in PACKED if kind.name != "tuple")
_ARRAYS = pool((*JAX_ARRAYS, *NUMPY_ARRAYS))
_MARK = b"__msgpack_chunked_array__"


@st.composite
def mismatches(draw: st.DrawFn, kinds: tuple[Kind, ...] = _EXPLAINED) -> Recipe:
    """Draw `tree`, `place`, a number that selects one of its nodes, and the `name` of the root."""
    scope = Scope()
    roots = tuple(kind for kind in kinds if kind.arity)
    bind_tree(draw, scope, saved_trees(kinds=_EXPLAINED, roots=roots, history=False))
    scope.bind("place", repr(draw(st.integers(0, 3))))
    scope.bind("name", draw(st.sampled_from(("'.'", "'model'"))))
    return scope.recipe()


@st.composite
def _pieces(draw: st.DrawFn, kinds: tuple[Kind, ...]) -> Recipe:
    """Draw `tree`, of arrays, and `limit`, the largest size of a chunk in bytes."""
    scope = Scope()
    bind_tree(draw, scope, saved_trees(_ARRAYS, kinds=kinds, max_leaves=4, history=False))
    scope.bind("limit", repr(draw(st.sampled_from((8, 1, 4, 12, 23)))))
    return scope.recipe()


@law(
    "`from_state_dict` raises ValueError with the path of an entry that the state lacks",
    source=_TESTS,
    level="should",
    needs={"serialization"},
    case=mismatches(),
    parents=[state_dict_restores_the_tree],
)
def missing_entry_is_refused_by_its_path(lib, case):
    """The call is repeated, since the path must not carry over into the next error."""
    state = lib.serialization.to_state_dict(case.tree)
    path, part = chosen(case, state, filled=True)
    part.pop(sorted(part)[0])
    refused_at(path, lambda: lib.serialization.from_state_dict(case.tree, state, case.name))


@law(
    "an extra entry for a list, tuple or dataclass raises ValueError with the path",
    source=_TESTS,
    level="should",
    needs={"serialization"},
    case=mismatches(_SIZED),
    parents=[state_dict_restores_the_tree],
)
def unknown_entry_is_refused_by_its_path(lib, case):
    """Dicts are left out, since they ignore extra entries."""
    state = lib.serialization.to_state_dict(case.tree)
    path, part = chosen(case, state, sized=True)
    part["unknown"] = 1
    refused_at(path, lambda: lib.serialization.from_state_dict(case.tree, state, case.name))


@law(
    "`from_state_dict` does not change the target if it raises ValueError",
    source=_FROM,
    level="should",
    needs={"serialization"},
    case=mismatches(),
    parents=[missing_entry_is_refused_by_its_path],
)
def refused_state_leaves_the_target_alone(lib, case):
    state = lib.serialization.to_state_dict(case.tree)
    _, part = chosen(case, state)
    part.clear()
    taken = watch.snapshot(case.tree)
    _refusal(lambda: lib.serialization.from_state_dict(case.tree, state))
    true(not watch.changes_since(taken), watch.changes_since(taken), "an unchanged target")


@law(
    "`from_bytes` undoes `to_bytes` for arrays above `MAX_CHUNK_SIZE`",
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
    "`msgpack_serialize` saves every array above `MAX_CHUNK_SIZE` in chunks, wherever it is",
    source=_PACK,
    needs={"serialization"},
    case=_pieces(_UNTUPLED),
)
def every_array_above_the_limit_is_in_pieces(lib, case):
    """msgpack rejects an array above 2**32 bytes that is not in chunks."""
    with _limit(lib, case.limit):
        encoded = lib.serialization.msgpack_serialize(case.tree)
    sizes = [x.size * x.dtype.itemsize for x in jtu.tree_leaves(case.tree)]
    wanted = sum(size > case.limit for size in sizes)
    true(encoded.count(_MARK) == wanted, encoded.count(_MARK), f"{wanted} arrays in chunks")


def _places(tree: Any, state: Any, path: tuple[str, ...]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the path, node and state of each node that has a state dict."""
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


def chosen(case, state, sized=False, filled=False):
    """Return the path and the state of the node that `case.place` selects.

    Args:
        sized: select no mapping; default `False`.
        filled: select a node with an entry; the root has one. Default `False`.
    """
    places = [
        (path, part)
        for path, node, part in _places(case.tree, state, (case.name,))
        if not (sized and hasattr(node, "keys")) and (part or not filled)
    ]
    return places[case.place % len(places)]


def refused_at(path, call):
    """Check that a call raises ValueError with the path, twice in a row."""
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
    """Set the largest size of a chunk, as Flax's own tests do."""
    module = inspect.getmodule(lib.serialization.msgpack_serialize)
    with mock.patch.object(module, "MAX_CHUNK_SIZE", limit, create=True):
        yield
