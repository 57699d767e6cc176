"""Mutants of what turns states into other forms and back."""

from __future__ import annotations

from selftest.mutant import mutant

_ID = "nnx.forms."


def _texts(tree):
    if not isinstance(tree, dict):
        return tree
    return {str(key): _texts(value) for key, value in tree.items()}


@mutant(
    "nnx",
    kills=[_ID + "a_pure_dict_holds_the_values", _ID + "a_pure_dict_comes_back_from_msgpack"],
)
def a_pure_dict_holds_variables(nnx):
    """`to_pure_dict` puts Variables into its dicts."""

    def to_pure_dict(state, extract_fn=None):
        return nnx.to_pure_dict(state, extract_fn or (lambda leaf: leaf))

    return {"to_pure_dict": to_pure_dict}


@mutant(
    "nnx",
    kills=[_ID + "its_own_pure_dict_changes_nothing", _ID + "a_pure_dict_is_put_into_a_state"],
)
def values_replace_variables(nnx):
    """`replace_by_pure_dict` puts the plain value where the Variable was."""

    def replace_by_pure_dict(state, pure_dict, replace_fn=None):
        nnx.replace_by_pure_dict(state, pure_dict, replace_fn or (lambda leaf, value: value))

    return {"replace_by_pure_dict": replace_by_pure_dict}


@mutant(
    "nnx",
    kills=[_ID + "keys_that_became_texts_are_found", _ID + "a_path_that_is_not_there_is_refused"],
)
def unknown_paths_are_ignored(nnx):
    """`replace_by_pure_dict` ignores paths that the State has not, texts of numbers too."""

    def replace_by_pure_dict(state, pure_dict, replace_fn=None):
        flat = nnx.traversals.flatten_mapping(pure_dict)
        known = dict(nnx.to_flat_state(state))
        kept = {path: value for path, value in flat.items() if path in known}
        nnx.replace_by_pure_dict(state, nnx.traversals.unflatten_mapping(kept), replace_fn)

    return {"replace_by_pure_dict": replace_by_pure_dict}


@mutant("nnx", kills=[_ID + "integer_keys_are_restored", _ID + "other_keys_are_kept"])
def integer_keys_stay_texts(nnx):
    """`restore_int_paths` makes texts of the numbers that it finds."""

    def restore_int_paths(pure_dict):
        return _texts(nnx.restore_int_paths(pure_dict))

    return {"restore_int_paths": restore_int_paths} if hasattr(nnx, "restore_int_paths") else {}


@mutant("nnx", kills=[_ID + "restoring_loses_no_value"])
def restoring_drops_the_last(nnx):
    """`restore_int_paths` drops the last value."""

    def restore_int_paths(pure_dict):
        flat = list(nnx.traversals.flatten_mapping(pure_dict).items())
        return nnx.restore_int_paths(nnx.traversals.unflatten_mapping(dict(flat[:-1])))

    return {"restore_int_paths": restore_int_paths} if hasattr(nnx, "restore_int_paths") else {}


@mutant("nnx", kills=[_ID + "functions_extract_and_replace_the_values"])
def values_are_replaced_without_the_function(nnx):
    """`replace_by_pure_dict` does not call `replace_fn`."""

    def replace_by_pure_dict(state, pure_dict, replace_fn=None):
        if replace_fn is None:
            nnx.replace_by_pure_dict(state, pure_dict)

    return {"replace_by_pure_dict": replace_by_pure_dict}
