"""Flax: state dicts and msgpack bytes."""

from __future__ import annotations

import contextlib
import dataclasses

import jax
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves
from hypothesis_pytrees.flax.frozen import FROZEN_DICTS
from hypothesis_pytrees.flax.mappings import nested_dicts
from hypothesis_pytrees.flax.states import (
    EVERY_SAVED_LEAF,
    PACKED,
    PLAIN_CONTAINERS,
    SAVED,
    UNREGISTERED,
    saved_trees,
)
from hypothesis_pytrees.flax.structs import FLAX_STRUCTS
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.positions import bind_tree
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true
from treelaws.laws import _watch as watch
from treelaws.laws._carried import carried

law = Topic("flax.serialization", "Flax: state dicts and bytes", family="flax")
_DOCS = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.serialization.html"
_FROM = f"{_DOCS}#flax.serialization.from_state_dict"
_TO = f"{_DOCS}#flax.serialization.to_state_dict"
_REGISTER = f"{_DOCS}#flax.serialization.register_serialization_state"
_PACK = f"{_DOCS}#flax.serialization.msgpack_serialize"
_BYTES = f"{_DOCS}#flax.serialization.to_bytes"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/serialization.py"
# A fixed commit, so that its line numbers stay correct.
_COMMIT = "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0"
_TESTS = f"{_COMMIT}/tests/serialization_test.py"
# Arrays of structured, string, bytes, void and object dtypes.
_UNSUPPORTED = (
    *("np.array([None])", "np.array([(1,)], [('a', 'i4')])", "np.array(['a'])", "np.array([b'a'])"),
    *("np.str_('a')", "np.zeros(2, 'V3')", "np.zeros(1, np.dtype([('a', 'i4')], align=True))"),
)


@st.composite
def _bound(draw: st.DrawFn, strategy: st.SearchStrategy[Recipe]) -> Recipe:
    scope = Scope()
    bind_tree(draw, scope, strategy)
    return scope.recipe()


_UNTUPLED = tuple(kind for kind in PACKED if kind.name != "tuple")
_OPEN = (*PLAIN_CONTAINERS, *UNREGISTERED)
_NUMBERS = pool(EVERY_SAVED_LEAF)
# A third of the trees have only plain containers and a third have a FrozenDict as root: these kinds
# are few, and would be rare among all the others.
_ANY = st.one_of(
    _bound(saved_trees(leaves(), kinds=_OPEN, roots=_OPEN)),
    _bound(saved_trees(leaves(), kinds=(*SAVED, *UNREGISTERED))),
    _bound(saved_trees(leaves(), roots=FROZEN_DICTS)),
)
_SAVED = st.one_of(
    _bound(saved_trees(kinds=PLAIN_CONTAINERS, roots=PLAIN_CONTAINERS)),
    _bound(saved_trees()),
    _bound(saved_trees(roots=FROZEN_DICTS)),
)
_PACKED = st.one_of(
    _bound(saved_trees(_NUMBERS, kinds=_UNTUPLED, roots=_UNTUPLED)),
    _bound(saved_trees(_NUMBERS, kinds=PACKED)),
)


@st.composite
def _unsupported(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    text = draw(st.sampled_from(_UNSUPPORTED))
    scope.note(f"array:{text}")
    scope.bind("tree", draw(st.sampled_from((text, f"{{'a': {text}}}", f"[1, {text}]"))))
    return scope.recipe()


@law(
    "`from_state_dict(x, to_state_dict(x))` equals `x`",
    source=_FROM,
    needs={"serialization"},
    case=_ANY,
)
def state_dict_restores_the_tree(lib, case):
    state = lib.serialization.to_state_dict(case.tree)
    same(lib.serialization.from_state_dict(case.tree, state), case.tree)


@law(
    "`to_state_dict(x)` consists of leaves and of dicts with string keys",
    source=f"{_CODE}#L109",
    level="should",
    needs={"serialization"},
    case=_SAVED,
    parents=[state_dict_restores_the_tree],
)
def state_dicts_have_text_keys(lib, case):
    state = lib.serialization.to_state_dict(case.tree)
    parts = list(_dicts(state))
    true(all(type(part) is dict for part in parts), parts, "plain dicts")
    keys = [key for part in parts for key in part]
    true(all(type(key) is str for key in keys), keys, "text")
    leaves = jtu.tree_leaves(state)
    same([leaf for leaf in jtu.tree_leaves(case.tree) if not _in(leaf, leaves)], [])


@law(
    "`from_state_dict(target, state)` takes values from the state and structure from the target",
    source=_FROM,
    needs={"serialization"},
    case=_ANY,
    parents=[state_dict_restores_the_tree],
)
def values_come_from_the_state(lib, case):
    target = jtu.tree_map(lambda _: 0, case.tree)
    state = lib.serialization.to_state_dict(case.tree)
    same(lib.serialization.from_state_dict(target, state), case.tree)


@law(
    "`to_state_dict(x)` does not change `x`",
    source=_TO,
    level="should",
    needs={"serialization"},
    case=_ANY,
    parents=[state_dict_restores_the_tree],
)
def to_state_dict_leaves_the_target_alone(lib, case):
    taken = watch.snapshot(case.tree)
    lib.serialization.to_state_dict(case.tree)
    true(not watch.changes_since(taken), watch.changes_since(taken), "an unchanged target")


@law(
    "`from_state_dict(target, state)` returns a copy and changes neither target nor state",
    source=_FROM,
    needs={"serialization"},
    case=_SAVED,
    parents=[state_dict_restores_the_tree],
)
def restoring_makes_a_copy(lib, case):
    state = lib.serialization.to_state_dict(case.tree)
    taken = watch.snapshot([case.tree, state])
    restored = lib.serialization.from_state_dict(case.tree, state)
    true(not watch.changes_since(taken), watch.changes_since(taken), "an unchanged target")
    mutable = isinstance(case.tree, (dict, list))
    true(not (mutable and restored is case.tree), restored, "another object than the target")


@law(
    "the state dict of a `flax.struct` dataclass holds its data fields and no static field",
    source=f"{_TESTS}#L109-L126",
    level="should",
    needs={"serialization"},
    case=_bound(saved_trees(roots=FLAX_STRUCTS)),
    parents=[state_dict_restores_the_tree],
)
def struct_state_holds_the_data_fields(lib, case):
    fields = dataclasses.fields(case.tree)
    names = [field.name for field in fields if field.metadata.get("pytree_node", True)]
    state = lib.serialization.to_state_dict(case.tree)
    equal(sorted(state), sorted(names))


@law(
    "`from_bytes(x, to_bytes(x))` equals `x`, with NumPy arrays in place of JAX arrays",
    source=f"{_DOCS}#flax.serialization.from_bytes",
    needs={"serialization"},
    case=_SAVED,
    parents=[state_dict_restores_the_tree],
)
def bytes_restore_the_tree(lib, case):
    encoded = lib.serialization.to_bytes(case.tree)
    same(lib.serialization.from_bytes(case.tree, encoded), _in_numpy(case.tree))


@law(
    "`from_bytes(target, data)` takes values from the bytes and structure from the target",
    source=f"{_DOCS}#flax.serialization.from_bytes",
    needs={"serialization"},
    case=_SAVED,
    parents=[bytes_restore_the_tree],
)
def values_come_from_the_bytes(lib, case):
    target = jtu.tree_map(lambda _: 0, case.tree)
    encoded = lib.serialization.to_bytes(case.tree)
    same(lib.serialization.from_bytes(target, carried(encoded)), _in_numpy(case.tree))


@law(
    "`to_bytes(x)` does not change `x`, also if it raises",
    source=_BYTES,
    level="should",
    needs={"serialization"},
    case=_ANY,
    parents=[state_dict_restores_the_tree],
)
def to_bytes_leaves_the_target_alone(lib, case):
    taken = watch.snapshot(case.tree)
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        lib.serialization.to_bytes(case.tree)
    changes = watch.changes_since(taken)
    true(not changes, changes, "an unchanged target")


@law(
    "`msgpack_restore` undoes `msgpack_serialize` for containers of arrays and primitives",
    source=_PACK,
    needs={"serialization"},
    case=_PACKED,
)
def msgpack_restores_the_tree(lib, case):
    """Containers are dicts, lists and tuples; keys are strings or integers of at most 64 bits."""
    encoded = lib.serialization.msgpack_serialize(case.tree)
    same(lib.serialization.msgpack_restore(carried(encoded)), _in_numpy(case.tree))


@law(
    "`msgpack_serialize(x)` does not change `x`, unless `in_place=True`",
    source=_PACK,
    needs={"serialization"},
    case=_bound(saved_trees(kinds=PACKED)),
)
def msgpack_leaves_its_argument_alone(lib, case):
    taken = watch.snapshot(case.tree)
    with contextlib.suppress(TypeError):
        lib.serialization.msgpack_serialize(case.tree)
    changes = watch.changes_since(taken)
    true(not changes, changes, "an unchanged argument")


@law(
    "`msgpack_serialize` raises ValueError for an array of strings, objects or records",
    source=f"{_CODE}#L243-L257",
    level="should",
    needs={"serialization"},
    case=_unsupported(),
)
def unsupported_dtypes_are_refused(lib, case):
    """Otherwise the bytes could not be read back."""
    refuses(ValueError, lambda: lib.serialization.msgpack_serialize(case.tree))


@law(
    "registering a type with `register_serialization_state` twice raises ValueError",
    source=_REGISTER,
    level="should",
    needs={"serialization"},
    case=nested_dicts("state", sorts=("str",)),
)
def registering_twice_is_refused(lib, case):
    kind = type("Registered", (), {})
    handlers = (lambda _: case.state, lambda _, state: [state])
    lib.serialization.register_serialization_state(kind, *handlers)
    refuses(ValueError, lambda: lib.serialization.register_serialization_state(kind, *handlers))


@law(
    "`is_serializable` says whether handlers are registered for a type, or for that of an object",
    source=_CODE,
    level="observed",
    needs={"serialization"},
    case=nested_dicts("state", sorts=("str",)),
)
def a_registered_type_is_serializable(lib, case):
    kind = type("Registered", (), {})
    asked = lambda: [lib.serialization.is_serializable(one) for one in (kind, kind())]
    equal(asked(), [False, False])
    handlers = (lambda _: case.state, lambda _, state: [state])
    lib.serialization.register_serialization_state(kind, *handlers)
    equal(asked(), [True, True])


@law(
    "handlers registered with `override=True` replace the old ones, inside other types too",
    source=_REGISTER,
    needs={"serialization"},
    case=nested_dicts("state", sorts=("str",)),
)
def override_replaces_the_handlers(lib, case):
    kind, register = type("Registered", (), {}), lib.serialization.register_serialization_state
    register(kind, lambda _: {"old": 1}, lambda _, state: None)
    register(kind, lambda _: case.state, lambda _, state: [state], override=True)
    state = lib.serialization.to_state_dict({"a": [kind()]})
    equal(state, {"a": {"0": case.state}})
    restored = lib.serialization.from_state_dict({"a": [kind()]}, state)
    equal(restored, {"a": [[case.state]]})


def _in_numpy(tree):
    return jtu.tree_map(lambda x: np.asarray(x) if isinstance(x, jax.Array) else x, tree)


def _dicts(state):
    """Yield every mapping in a state dict."""
    if isinstance(state, dict):
        yield state
        for value in state.values():
            yield from _dicts(value)


def _in(leaf, leaves):
    return any(one is leaf for one in leaves)
