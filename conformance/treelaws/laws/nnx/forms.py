"""Flax NNX: States as plain nested dicts and as bytes."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nnx.states import NNX_MAPPINGS, NNX_STATES, nnx_states
from hypothesis_pytrees.nnx.variables import variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, same, true
from treelaws.laws._carried import carried

from ._inputs import STATES, fresh_values, is_variable, without_mappings
from ._model import described, same_graph, same_rows

law = Topic("nnx.forms", "Flax NNX: States as plain dicts and as bytes", family="nnx")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/state.html#flax.nnx."
_CHECKPOINTS = "https://flax.readthedocs.io/en/latest/guides/checkpointing.html"
_PURE = f"{_CHECKPOINTS}#save-and-restore-as-pure-dictionaries"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx"
_STATE = cases(state=STATES)
_TEXT_KEYS = """\
def nnx_text_keys(tree):
    # As libraries of checkpoints do.
    if not isinstance(tree, dict):
        return tree
    return {str(key): nnx_text_keys(value) for key, value in tree.items()}
"""


def _without_digits(kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    return tuple(kind for kind in kinds if "state:digit-keys" not in kind.features)


@st.composite
def _saved(draw: st.DrawFn, *, digits: bool = False, modules: bool = True) -> Recipe:
    """Draw `state`, of Variables, and `text_keys`, which changes keys as a checkpoint does.

    Args:
        digits: also draw keys that are strings of digits.
        modules: also draw the States of modules, which may hold PRNG keys.
    """
    roots, kinds = (tuple(NNX_STATES), tuple(NNX_MAPPINGS))
    if not digits:
        roots, kinds = _without_digits(roots), _without_digits(kinds)
    scope = Scope()
    scope.define(_TEXT_KEYS)
    scope.bind("state", draw(nnx_states(variables(), roots=roots, kinds=kinds, modules=modules)))
    scope.bind("text_keys", "nnx_text_keys")
    scope.bind("serialization", "flax.serialization")
    return scope.recipe()


_ODD_INTEGERS = ("'07'", "'1_0'", "' 4'")
_PLAIN_KEYS = ("'a'", "'7'", "'-3'", "'1.5'", "'x1'", "''")
_KEYS = (*_PLAIN_KEYS, *_PLAIN_KEYS, *_ODD_INTEGERS)


@st.composite
def _keyed(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, a nested dict; some of its string keys look like integers."""
    keys = draw(st.lists(st.sampled_from(_KEYS), max_size=3, unique=True))
    inner = draw(st.lists(st.sampled_from(_KEYS), max_size=2, unique=True))
    nested = f"{{{', '.join(f'{key}: {place}' for place, key in enumerate(inner))}}}"
    items = [f"{key}: {100 + place}" for place, key in enumerate(keys)]
    scope = Scope()
    scope.bind("tree", f"{{{', '.join([*items, repr('inner') + ': ' + nested])}}}")
    scope.note("keys:odd-integers" if {*keys, *inner} & {*_ODD_INTEGERS} else "keys:plain")
    return scope.recipe()


@law(
    "`to_pure_dict(state)` returns nested dicts with the value of each Variable at its path",
    source=f"{_DOCS}to_pure_dict",
    needs={"State"},
    case=_STATE,
)
def a_pure_dict_holds_the_values(lib, case):
    pure = nnx_api.pure(lib, case.state)
    for path, leaf in nnx_api.flat(lib, case.state).items():
        found = pure
        for key in path:
            true(type(found) is dict, found, "a dict")
            found = found[key]
        same(found, nnx_api.value(leaf) if is_variable(leaf) else leaf)


@law(
    "`replace_by_pure_dict(state, to_pure_dict(state))` changes nothing",
    source=_PURE,
    needs={"State"},
    case=without_mappings(_STATE),
)
def its_own_pure_dict_changes_nothing(lib, case):
    before = described(nnx_api.flat(lib, case.state))
    nnx_api.replace_pure(lib, case.state, nnx_api.pure(lib, case.state))
    same_rows(described(nnx_api.flat(lib, case.state)), before)


@law(
    "`to_pure_dict` holds what `extract_fn` returns for each leaf, and `replace_by_pure_dict` "
    "gives each leaf and its value to `replace_fn`",
    source=f"{_DOCS}to_pure_dict",
    level="should",
    needs={"to_pure_dict", "replace_by_pure_dict"},
    case=without_mappings(_STATE),
    parents=(a_pure_dict_holds_the_values,),
)
def functions_extract_and_replace_the_values(lib, case):
    leaves, given = dict(lib.to_flat_state(case.state)), []
    pure = lib.to_pure_dict(case.state, extract_fn=lambda leaf: (leaf,))
    found = lib.traversals.flatten_mapping(pure)
    same({path: leaf for path, (leaf,) in found.items()}, leaves, identical=True)
    replace = lambda leaf, value: given.append((leaf, *value)) or leaf
    lib.replace_by_pure_dict(case.state, pure, replace_fn=replace)
    equal([leaf is value for leaf, value in given], [True] * len(leaves))


@law(
    "`replace_by_pure_dict` puts each value at its path and keeps types and metadata",
    source=_PURE,
    needs={"State"},
    case=_saved(),
)
def a_pure_dict_is_put_into_a_state(lib, case):
    wanted = fresh_values(case.state)
    nnx_api.replace_pure(lib, case.state, nnx_api.pure(lib, wanted))
    same_graph(nnx_api.flat(lib, case.state), nnx_api.flat(lib, wanted))


@law(
    "`replace_by_pure_dict` accepts integer keys that a checkpoint turned into strings",
    source=f"{_DOCS}restore_int_paths",
    level="should",
    needs={"State"},
    case=_saved(digits=True),
    parents=(a_pure_dict_is_put_into_a_state,),
)
def keys_that_became_texts_are_found(lib, case):
    wanted = fresh_values(case.state)
    nnx_api.replace_pure(lib, case.state, case.text_keys(nnx_api.pure(lib, wanted)))
    same_graph(nnx_api.flat(lib, case.state), nnx_api.flat(lib, wanted))


@law(
    "`replace_by_pure_dict` raises ValueError for a path that the State lacks",
    source=f"{_CODE}/statelib.py#L578-L609",
    level="should",
    needs={"State"},
    case=_STATE,
)
def a_path_that_is_not_there_is_refused(lib, case):
    pure = {**nnx_api.pure(lib, case.state), "no such key": 1}
    refuses(ValueError, lambda: nnx_api.replace_pure(lib, case.state, pure))


@law(
    "`restore_int_paths` restores integer keys that were turned into strings",
    source=f"{_DOCS}restore_int_paths",
    needs={"restore_int_paths"},
    case=_saved(),
)
def integer_keys_are_restored(lib, case):
    pure = nnx_api.pure(lib, case.state)
    same(lib.restore_int_paths(case.text_keys(pure)), pure)


@law(
    "`restore_int_paths` turns strings of integers into integers and keeps all other keys",
    source=f"{_DOCS}restore_int_paths",
    level="should",
    needs={"restore_int_paths"},
    case=_keyed(),
)
def other_keys_are_kept(lib, case):
    flat = lib.traversals.flatten_mapping(case.tree)
    wanted = {tuple(map(_restored, path)): value for path, value in flat.items()}
    found = lib.traversals.flatten_mapping(lib.restore_int_paths(case.tree))
    equal(found, wanted)


@law(
    "`restore_int_paths` loses no value",
    source=f"{_DOCS}restore_int_paths",
    level="should",
    needs={"restore_int_paths"},
    case=_keyed(),
)
def restoring_loses_no_value(lib, case):
    flatten = lib.traversals.flatten_mapping
    found = sorted(flatten(lib.restore_int_paths(case.tree)).values())
    same(found, sorted(flatten(case.tree).values()))


@law(
    "`msgpack_restore` undoes `msgpack_serialize` for pure dicts, also with integer keys",
    source="https://github.com/google/flax/pull/5446",
    level="should",
    needs={"State"},
    case=_saved(digits=True, modules=False),
)
def a_pure_dict_comes_back_from_msgpack(lib, case):
    pure = nnx_api.pure(lib, case.state)
    packed = case.serialization.msgpack_serialize(pure)
    back = case.serialization.msgpack_restore(carried(packed))
    same(jtu.tree_map(np.asarray, back), jtu.tree_map(np.asarray, pure))


def _restored(key):
    try:
        return int(key) if str(int(key)) == key else key
    except ValueError:
        return key
