"""Flax: flat forms of nested dicts, `path_aware_map`, and traversals."""

from __future__ import annotations

import warnings

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.mappings import KEYS, STRINGS, draw_dict
from hypothesis_pytrees.flax.traversals import traversals
from treelaws.core.law import Topic
from treelaws.equality import equal, refuses, true

law = Topic("flax.traverse", "Flax: traverse_util", family="flax")
_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.traverse_util.html"
_FLATTEN = f"{_DOCS}#flax.traverse_util.flatten_dict"
_UNFLATTEN = f"{_DOCS}#flax.traverse_util.unflatten_dict"
_MAP = f"{_DOCS}#flax.traverse_util.path_aware_map"
_MODULE = f"{_DOCS}#module-flax.traverse_util"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/traverse_util.py"
# No drawn key contains one of them.
_SEPARATORS = ("'/'", "'.'", "'__'")


@st.composite
def _dicts(
    draw: st.DrawFn, sorts: tuple[str, ...] = tuple(KEYS), *, separator: bool = False
) -> Recipe:
    """Draw `plain`, `nested` (`plain` or a FrozenDict of it) and maybe `sep`."""
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
    """Draw `plain`, `nested` and `depth`, the depth at which dicts are leaves."""
    scope = Scope()
    scope.include(draw(_dicts()))
    depth = draw(st.sampled_from((1, 2, 0)))
    scope.note(f"cut:{depth}")
    scope.bind("depth", repr(depth))
    return scope.recipe()


@law(
    "`unflatten_dict` undoes `flatten_dict(x, keep_empty_nodes=True)` and returns plain dicts",
    source=_UNFLATTEN,
    needs={"traverse_util"},
    case=_dicts(),
)
def unflatten_undoes_flatten(lib, case):
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True)
    back = lib.traverse_util.unflatten_dict(flat)
    equal(back, case.plain)
    true(_types(back) <= {dict}, _types(back), "plain dicts")


@law(
    "without `keep_empty_nodes`, `flatten_dict` drops empty dicts and keeps the rest",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_dicts(),
)
def empty_dicts_are_ignored(lib, case):
    back = lib.traverse_util.unflatten_dict(lib.traverse_util.flatten_dict(case.nested))
    equal(back, _pruned(case.plain))


@law(
    "`flatten_dict(x)` maps the tuple of keys of each leaf to the leaf",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_dicts(),
)
def flat_keys_lead_to_the_leaves(lib, case):
    flat = lib.traverse_util.flatten_dict(case.nested)
    equal(flat, dict(_entries(case.plain)))


@law(
    "`flatten_dict(x)` has its entries in the order of `x`",
    source="https://docs.python.org/3/library/stdtypes.html#dict",
    level="should",
    needs={"traverse_util"},
    case=_dicts(),
    parents=[flat_keys_lead_to_the_leaves],
)
def flatten_keeps_the_order(lib, case):
    flat = lib.traverse_util.flatten_dict(case.nested)
    equal(list(flat), [path for path, _ in _entries(case.plain)])


@law(
    "`flatten_dict(x, sep=sep)` joins the keys, and `unflatten_dict(flat, sep=sep)` splits them",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_dicts(STRINGS, separator=True),
)
def separator_joins_and_parts_the_keys(lib, case):
    """Keys are strings that do not contain the separator."""
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True, sep=case.sep)
    tuples = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True)
    equal(list(flat), [case.sep.join(path) for path in tuples])
    back = lib.traverse_util.unflatten_dict(flat, sep=case.sep)
    equal(back, case.plain)


@law(
    "`flatten_dict` calls `is_leaf` with each path and dict, and keeps the accepted dicts whole",
    source=_FLATTEN,
    needs={"traverse_util"},
    case=_cut(),
)
def is_leaf_stops_the_descent(lib, case):
    is_leaf = lambda path, _: len(path) >= case.depth
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True, is_leaf=is_leaf)
    true(all(len(path) <= case.depth for path in flat), flat, f"at most {case.depth} keys")
    back = lib.traverse_util.unflatten_dict(flat)
    equal(back, case.plain)


@law(
    "`flatten_dict` and `unflatten_dict` do not change their arguments",
    source=_MODULE,
    level="should",
    needs={"traverse_util"},
    case=_dicts(),
)
def flattening_leaves_the_dict_alone(lib, case):
    flat = lib.traverse_util.flatten_dict(case.nested, keep_empty_nodes=True)
    before = dict(flat)
    back = lib.traverse_util.unflatten_dict(flat)
    equal(list(flat.items()), list(before.items()))
    _spoil(back)
    equal(case.nested, case.rebuild().plain)


@law(
    "`tree_map` over the values of a flat dict keeps its empty nodes",
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
    equal(back, case.plain)


@law(
    "`path_aware_map` calls the function with each path and leaf once and keeps the structure",
    source=_MAP,
    needs={"traverse_util"},
    case=_dicts(),
)
def path_aware_map_knows_the_path(lib, case):
    """Empty dicts are kept; the function is not called for them."""
    visited = []
    record = lambda path, leaf: visited.append((path, leaf)) or [path]
    mapped = lib.traverse_util.path_aware_map(record, case.nested)
    entries = list(_entries(case.plain))
    equal((len(visited), dict(visited)), (len(entries), dict(entries)))
    wanted = lib.traverse_util.unflatten_dict({path: [path] for path, _ in entries})
    equal(_pruned(mapped), wanted)
    equal(_empties(mapped), _empties(case.plain))


# Flax warns that traversals will be deprecated: the laws about them are not a must.
@law(
    "`traversal.update` changes the items that `traversal.iterate` yields, in the same order",
    source=_MODULE,
    level="should",
    needs={"traverse_util"},
    case=traversals(),
)
def update_changes_what_iterate_gives(lib, case):
    traversal = _quietly(lambda: case.choose(lib.traverse_util.t_identity))
    visited, items = [], list(traversal.iterate(case.data))
    change = lambda item: visited.append(item) or f"changed {item}"
    got = list(traversal.iterate(traversal.update(change, case.data)))
    equal(visited, items)
    equal(got, [f"changed {item}" for item in items])


@law(
    "a traversal does not change its data",
    source=_MODULE,
    level="should",
    needs={"traverse_util"},
    case=traversals(),
    parents=[update_changes_what_iterate_gives],
)
def traversals_leave_the_data_alone(lib, case):
    traversal = _quietly(lambda: case.choose(lib.traverse_util.t_identity))
    items = list(traversal.iterate(case.data))
    traversal.update(lambda item: "changed", case.data)
    traversal.set(["set" for _ in items], case.data)
    equal(case.data, case.rebuild().data)


@law(
    "`traversal.set` takes one value per item, in order; too few or too many raise ValueError",
    source=f"{_CODE}#L249-L269",
    level="should",
    needs={"traverse_util"},
    case=traversals(),
    parents=[update_changes_what_iterate_gives],
)
def set_takes_one_value_an_item(lib, case):
    traversal = _quietly(lambda: case.choose(lib.traverse_util.t_identity))
    values = [f"value {index}" for index, _ in enumerate(traversal.iterate(case.data))]
    got = list(traversal.iterate(traversal.set(list(values), case.data)))
    equal(got, values)
    refuses(ValueError, lambda: traversal.set([*values, 1], case.data))
    if values:
        refuses(ValueError, lambda: traversal.set(values[1:], case.data))


@law(
    "`traversal.update` leaves what the traversal does not select as it is: setting the items back "
    "gives the data",
    source=_MODULE,
    level="should",
    needs={"traverse_util"},
    case=traversals(),
    parents=[set_takes_one_value_an_item],
)
def setting_the_items_back_undoes_an_update(lib, case):
    traversal = _quietly(lambda: case.choose(lib.traverse_util.t_identity))
    items = list(traversal.iterate(case.data))
    changed = traversal.update(lambda item: f"changed {item}", case.data)
    equal(traversal.set(items, changed), case.data)


@law(
    "`ModelParamTraversal` selects leaves by name and keeps the type of the mapping",
    source=f"{_CODE}#L464-L520",
    level="should",
    needs={"traverse_util"},
    case=_dicts(("str", "digits")),
)
def parameters_are_selected_by_name(lib, case):
    names = _parameters(case.plain)
    chosen = sorted(names)[::2]
    select = lib.traverse_util.ModelParamTraversal
    traversal = _quietly(lambda: select(_picking(names, chosen)))
    got = sorted(map(repr, traversal.iterate(case.nested)))
    equal(got, sorted(repr(names[name]) for name in chosen))
    other = traversal.update(lambda leaf: [leaf], case.nested)
    wanted = {name: [leaf] if name in chosen else leaf for name, leaf in names.items()}
    equal(_parameters(other), wanted)
    true(type(other) is type(case.nested), type(other), f"{type(case.nested)}")


def _picking(names, chosen):
    """Return a function that picks names with their own leaves."""
    return lambda name, leaf: name in chosen and repr(leaf) == repr(names[name])


def _quietly(make):
    """Make a traversal without the warning that traversals will be deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return make()


def _is_mapping(value):
    return hasattr(value, "keys")


def _types(value):
    """Return the types of the mappings in a nested dict."""
    if not _is_mapping(value):
        return set()
    return {type(value)}.union(*(_types(value[key]) for key in value))


def _entries(plain, path=()):
    """Yield the path of each leaf and the leaf, in the order of the entries."""
    for key in plain:
        value = plain[key]
        if _is_mapping(value):
            yield from _entries(value, (*path, key))
        else:
            yield (*path, key), value


def _parameters(plain):
    """Return the leaves by their names in `ModelParamTraversal`."""
    return {"/" + "/".join(path): leaf for path, leaf in _entries(plain)}


def _empties(plain, path=()):
    """Return the paths of the empty dicts in a nested dict."""
    return [
        empty
        for key, value in plain.items()
        if _is_mapping(value)
        for empty in ([(*path, key)] if not value else _empties(value, (*path, key)))
    ]


def _pruned(plain):
    """Return a nested dict without the dicts that hold no leaf."""
    kept = {key: _pruned(value) if _is_mapping(value) else value for key, value in plain.items()}
    return {key: value for key, value in kept.items() if not (_is_mapping(value) and not value)}


def _spoil(plain):
    """Change every dict of a nested dict."""
    for value in list(plain.values()):
        if type(value) is dict:
            _spoil(value)
    plain["spoilt"] = True
