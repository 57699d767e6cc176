"""Flax: restoring states into targets without values, and states with renamed entries."""

from __future__ import annotations

import jax
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.states import SAVED, saved_trees
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.trees.positions import bind_tree
from treelaws.equality import same

from .restore import chosen, law, mismatches, missing_entry_is_refused_by_its_path, refused_at
from .serialization import bytes_restore_the_tree, state_dict_restores_the_tree

_DOCS = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.serialization.html"
_COMMIT = "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0"


@st.composite
def _arrays(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    # Text has no shape.
    left_out = {"node:typed-children", "struct:default-text", "struct:redeclared-dynamic"}
    kinds = tuple(kind for kind in SAVED if not left_out & set(kind.features))
    leaves = pool(tuple(JAX_ARRAYS))
    bind_tree(draw, scope, saved_trees(leaves, kinds=kinds, max_leaves=4, history=False))
    return scope.recipe()


@law(
    "`from_state_dict` takes a target of abstract arrays, as `jax.eval_shape` returns it",
    source=f"{_DOCS}#flax.serialization.from_state_dict",
    needs={"serialization"},
    case=_arrays(),
    parents=[state_dict_restores_the_tree],
)
def abstract_targets_take_a_state(lib, case):
    state = lib.serialization.to_state_dict(case.tree)
    target = jax.eval_shape(lambda: case.tree)
    same(lib.serialization.from_state_dict(target, state), case.tree)


@law(
    "`from_bytes` takes a target of abstract arrays, as `jax.eval_shape` returns it",
    source=f"{_DOCS}#flax.serialization.from_bytes",
    level="should",
    needs={"serialization"},
    case=_arrays(),
    parents=[bytes_restore_the_tree],
)
def abstract_targets_take_bytes(lib, case):
    encoded = lib.serialization.to_bytes(case.tree)
    target = jax.eval_shape(lambda: case.tree)
    got = lib.serialization.from_bytes(target, encoded)
    same(got, lib.serialization.from_bytes(case.tree, encoded))


@law(
    "`from_state_dict` raises ValueError with the path of a node of which an entry has another "
    "name in the state",
    source=f"{_COMMIT}/tests/serialization_test.py#L463-L553",
    level="should",
    needs={"serialization"},
    case=mismatches(),
    parents=[missing_entry_is_refused_by_its_path],
)
def renamed_entry_is_refused_by_its_path(lib, case):
    state = lib.serialization.to_state_dict(case.tree)
    path, part = chosen(case, state, filled=True)
    part["renamed"] = part.pop(min(part))
    refused_at(path, lambda: lib.serialization.from_state_dict(case.tree, state, case.name))
