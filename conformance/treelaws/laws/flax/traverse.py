"""Flax: flat forms of nested dicts, maps that know the path, and traversals."""

from __future__ import annotations

import warnings

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.mappings import KEYS, STRINGS, draw_dict
from hypothesis_pytrees.flax.traversals import traversals
from treelaws.core.law import Topic
from treelaws.equality import refuses, true

law = Topic("flax.traverse", "Flax: traverse_util", family="flax")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.traverse_util.html"
_FLATTEN = f"{_DOCS}#flax.traverse_util.flatten_dict"
_UNFLATTEN = f"{_DOCS}#flax.traverse_util.unflatten_dict"
_MAP = f"{_DOCS}#flax.traverse_util.path_aware_map"
_MODULE = f"{_DOCS}#module-flax.traverse_util"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/traverse_util.py"
# None of them occurs in a key that is drawn.
_SEPARATORS = ("'/'", "'.'", "'__'")


@st.composite
def _dicts(
    draw: st.DrawFn, sorts: tuple[str, ...] = tuple(KEYS), *, separator: bool = False
) -> Recipe:
    """Bind `plain`, `nested` (it, or the FrozenDict of it) and maybe `sep`."""
    scope = Scope()
    scope.bind("plain", draw_dict(draw, scope, sorts=sorts))
    nested = draw(st.sampled_from(("plain", "flax.core.freeze(plain)")))
    scope.note("nested:dict" if nested == "plain" else "nested:frozen")
    scope.bind("nested", nested)
    if separator:
        scope.bind("sep", draw(st.sampled_from(_SEPARATORS)))
    return scope.recipe()


@st.composite
def _cut(draw: st.DrawFn) -> Recipe:
    """Bind `plain`, `nested` and `depth`, at which dicts are leaves."""
    scope = Scope()
    scope.include(draw(_dicts()))
    depth = draw(st.sampled_from((1, 2, 0)))
    scope.note(f"cut:{depth}")
    scope.bind("depth", repr(depth))
    return scope.recipe()


@law(
    "unflatten_dict undoes flatten_dict that keeps empty nodes, and gives plain dicts",
    source=_UNFLATTEN,
    needs={"traverse_util"},
    case=_dicts(),
)
def unflatten_undoes_flatten(lib, case):
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True)
    back = lib.traverse_util.unflatten_dict(flat)
    true(back == case.plain, back, f"{case.plain}")
    true(_types(back) <= {dict}, _types(back), "plain dicts")


@law(
    "without keep_empty_nodes, empty dicts are ignored and the rest comes back",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_dicts(),
)
def empty_dicts_are_ignored(lib, case):
    back = lib.traverse_util.unflatten_dict(lib.traverse_util.flatten_dict(case.nested))
    true(back == _pruned(case.plain), back, f"{_pruned(case.plain)}")


@law(
    "the flat form has one entry a leaf, by the tuple of keys that leads there, in their order",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_dicts(),
)
def flat_keys_lead_to_the_leaves(lib, case):
    flat = lib.traverse_util.flatten_dict(case.nested)
    wanted = list(_entries(case.plain))
    true(list(flat.items()) == wanted, flat, f"{wanted}")


@law(
    "with sep the keys of the flat form are joined, and unflatten_dict with sep parts them",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_dicts(STRINGS, separator=True),
)
def separator_joins_and_parts_the_keys(lib, case):
    """Keys are text that does not hold the separator."""
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True, sep=case.sep)
    tuples = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True)
    true(list(flat) == [case.sep.join(path) for path in tuples], flat, f"{list(tuples)} joined")
    back = lib.traverse_util.unflatten_dict(flat, sep=case.sep)
    true(back == case.plain, back, f"{case.plain}")


@law(
    "is_leaf is asked about each dict with its path, and one that it accepts stays as it is",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_cut(),
)
def is_leaf_stops_the_descent(lib, case):
    is_leaf = lambda path, _: len(path) >= case.depth
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True, is_leaf=is_leaf)
    true(all(len(path) <= case.depth for path in flat), flat, f"at most {case.depth} keys")
    back = lib.traverse_util.unflatten_dict(flat)
    true(back == case.plain, back, f"{case.plain}")


@law(
    "flatten_dict and unflatten_dict leave their arguments as they were",
    source=_MODULE,
    level="should",
    needs={"traverse_util"},
    case=_dicts(),
)
def flattening_leaves_the_dict_alone(lib, case):
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True)
    before = dict(flat)
    back = lib.traverse_util.unflatten_dict(flat)
    true(list(flat.items()) == list(before.items()), flat, f"{before}")
    _spoil(back)
    true(case.nested == case.rebuild().plain, case.nested, f"{case.rebuild().plain}")


@law(
    "a flat form that went through a tree map still knows its empty nodes",
    source=f"{_CODE}#L72-L78",
    level="should",
    needs={"traverse_util"},
    case=_dicts(),
)
def empty_nodes_survive_a_tree_map(lib, case):
    """The empty node is "a struct.dataclass to be compatible with JAX"."""
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True)
    mapped = {key: jtu.tree_map(lambda leaf: leaf, node) for key, node in flat.items()}
    back = lib.traverse_util.unflatten_dict(mapped)
    true(back == case.plain, back, f"{case.plain}")


@law(
    "path_aware_map calls the function once a leaf with its path, and keeps the structure",
    source=_MAP,
    needs={"traverse_util"},
    case=_dicts(),
)
def path_aware_map_knows_the_path(lib, case):
    """Empty dicts stay and are not asked about."""
    visited = []
    record = lambda path, leaf: visited.append((path, leaf)) or [path]
    mapped = lib.traverse_util.path_aware_map(record, case.nested)
    entries = list(_entries(case.plain))
    true(visited == entries, visited, f"{entries}")
    wanted = lib.traverse_util.unflatten_dict({path: [path] for path, _ in entries})
    true(_pruned(mapped) == wanted, mapped, f"{wanted}")
    true(_empties(mapped) == _empties(case.plain), mapped, f"empty at {_empties(case.plain)}")


@law(
    "update changes what iterate gives, in its order: update and iterate see the same items",
    source=_MODULE,
    needs={"traverse_util"},
    case=traversals(),
)
def update_changes_what_iterate_gives(lib, case):
    traversal = _made(lib, case)
    visited, items = [], list(traversal.iterate(case.data))
    change = lambda item: visited.append(item) or f"changed {item}"
    got = list(traversal.iterate(traversal.update(change, case.data)))
    true(visited == items, visited, f"{items}")
    wanted = [f"changed {item}" for item in items]
    true(got == wanted, got, f"{wanted}")


@law(
    "a traversal never changes the data that it goes over",
    source=_MODULE,
    needs={"traverse_util"},
    case=traversals(),
    parents=[update_changes_what_iterate_gives],
)
def traversals_leave_the_data_alone(lib, case):
    traversal = _made(lib, case)
    items = list(traversal.iterate(case.data))
    traversal.update(lambda item: "changed", case.data)
    traversal.set(["set" for _ in items], case.data)
    true(case.data == case.rebuild().data, case.data, f"{case.rebuild().data}")


@law(
    "set puts values in the order of iterate, and refuses too few and too many: ValueError",
    source=f"{_CODE}#L249-L269",
    level="should",
    needs={"traverse_util"},
    case=traversals(),
    parents=[update_changes_what_iterate_gives],
)
def set_takes_one_value_an_item(lib, case):
    traversal = _made(lib, case)
    values = [f"value {index}" for index, _ in enumerate(traversal.iterate(case.data))]
    got = list(traversal.iterate(traversal.set(list(values), case.data)))
    true(got == values, got, f"{values}")
    refuses(ValueError, lambda: traversal.set([*values, 1], case.data))
    if values:
        refuses(ValueError, lambda: traversal.set(values[1:], case.data))


@law(
    "ModelParamTraversal selects leaves by their names, and keeps the type of the mapping",
    source=f"{_CODE}#L464-L520",
    level="should",
    needs={"traverse_util"},
    case=_dicts(("str", "digits")),
)
def parameters_are_selected_by_name(lib, case):
    names = _parameters(case.plain)
    chosen = sorted(names)[::2]
    select = lib.traverse_util.ModelParamTraversal
    traversal = _quietly(lambda: select(lambda name, leaf: name in chosen))
    got = sorted(map(repr, traversal.iterate(case.nested)))
    true(got == sorted(repr(names[name]) for name in chosen), got, f"the leaves {chosen}")
    other = traversal.update(lambda leaf: [leaf], case.nested)
    wanted = {name: [leaf] if name in chosen else leaf for name, leaf in names.items()}
    true(_parameters(other) == wanted, other, f"{wanted}")
    true(type(other) is type(case.nested), type(other), f"{type(case.nested)}")


def _made(lib, case):
    return _quietly(lambda: case.choose(lib.traverse_util.t_identity))


def _quietly(make):
    """Make a traversal without the warning that traversals will be deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return make()


def _is_mapping(value):
    return hasattr(value, "keys")


def _types(value):
    """Give the types of the mappings in a nested dict."""
    if not _is_mapping(value):
        return set()
    return {type(value)}.union(*(_types(value[key]) for key in value))


def _entries(plain, path=()):
    """Give path and leaf of each leaf, in the order of the entries."""
    for key in plain:
        value = plain[key]
        if _is_mapping(value):
            yield from _entries(value, (*path, key))
        else:
            yield (*path, key), value


def _parameters(plain):
    """Give the leaves by what ModelParamTraversal calls them."""
    return {"/" + "/".join(path): leaf for path, leaf in _entries(plain)}


def _empties(plain, path=()):
    """Give the paths of the empty dicts below a nested dict."""
    return [
        empty
        for key, value in plain.items()
        if _is_mapping(value)
        for empty in ([(*path, key)] if not value else _empties(value, (*path, key)))
    ]


def _pruned(plain):
    """Leave out the dicts that hold no leaf."""
    kept = {key: _pruned(value) if _is_mapping(value) else value for key, value in plain.items()}
    return {key: value for key, value in kept.items() if not (_is_mapping(value) and not value)}


def _spoil(plain):
    """Change every dict of a nested dict."""
    for value in list(plain.values()):
        if type(value) is dict:
            _spoil(value)
    plain["spoilt"] = True
