"""JAX: the keys of mappings, their order and their types."""

from __future__ import annotations

import collections

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, refuses, same, true
from treelaws.laws._isolated import in_thread

from ._inputs import expressions, hostile_trees

law = Topic("jax.dict_keys", "JAX: keys of mappings", family="jax")
_PYTREES = "https://docs.jax.dev/en/latest/101/pytrees.html"
_SORTED = f"{_PYTREES}#dictionary-keys-must-be-sortable"
_TESTS = "https://github.com/jax-ml/jax/blob/main/tests/tree_util_test.py"
# Groups of keys that Python can sort.
_GROUPS = (
    ("'b'", "'a'", "'B'", "''", "'a.b'", "'é'"),
    ("2", "-1", "10", "0", "10**20"),
    ("True", "False"),
    ("2", "True", "-1.5", "0"),
    ("(1, 2)", "(0, 5)", "(1,)", "()"),
    ("b'x'", "b'a'"),
    ("float('inf')", "-0.5", "1e9"),
)
_UNSORTED = (
    "{1: 0, 'a': 1}",
    "{None: 0, 'a': 1}",
    "{(1, 2): 0, 3: 1}",
    "{1j: 0, 2j: 1}",
    "{object(): 0, object(): 1}",
    "{int: 0, str: 1}",
)
_ALONE = ("None", "1j", "object()", "int", "frozenset({1})", "float('nan')", "(1, 'a')", "len")
_FACTORIES = ("int", "list", "dict", "str", "None")


@st.composite
def _reordered(draw: st.DrawFn, distinct: bool = False) -> Recipe:
    """Bind `items` and `others`, the same key-value pairs in another order."""
    scope = Scope()
    keys = list(draw(st.sampled_from(_GROUPS)))
    size = draw(st.integers(2 if distinct else 0, len(keys)))
    keys = draw(st.permutations(keys))[:size]
    others = draw(st.permutations(keys))
    if distinct and others == keys:
        others = keys[::-1]
    for number, key in enumerate(keys):
        value = draw_tree(draw, scope, max_leaves=2) if not number else f"'value {number}'"
        scope.bind(f"value_{keys.index(key)}", value)
    texts = [
        f"[{', '.join(f'({key}, value_{keys.index(key)})' for key in order)}]"
        for order in (keys, others)
    ]
    scope.bind("items", texts[0])
    scope.bind("others", texts[1])
    scope.bind("factory", draw(st.sampled_from(_FACTORIES)))
    return scope.recipe()


@law(
    "dicts with equal items have equal structures and leaves, in any order of insertion",
    source=_SORTED,
    case=_reordered(),
)
def dict_forgets_the_order_of_insertion(lib, case):
    one, structure = lib.tree_util.tree_flatten(dict(case.items))
    other, treedef = lib.tree_util.tree_flatten(dict(case.others))
    same(one, other, identical=True)
    equal(structure, treedef)
    equal(hash(structure), hash(treedef))


@law(
    "defaultdicts with equal items have equal structures and leaves, in any order of insertion",
    source=_SORTED,
    case=_reordered(),
    level="should",
)
def defaultdict_forgets_the_order_of_insertion(lib, case):
    make = lambda items: _defaultdict(case, items)
    one, structure = lib.tree_util.tree_flatten(make(case.items))
    other, treedef = lib.tree_util.tree_flatten(make(case.others))
    same(one, other, identical=True)
    equal(structure, treedef)
    equal(hash(structure), hash(treedef))


@law(
    "the leaves of a dict come in the order of its sorted keys, with paths and without",
    source=_SORTED,
    case=_reordered(),
)
def dict_leaves_are_sorted_by_key(lib, case):
    mapping = dict(case.items)
    wanted = lib.tree_util.tree_leaves([mapping[key] for key in sorted(mapping)])
    same(lib.tree_util.tree_leaves(mapping), wanted, identical=True)
    pairs, _ = lib.tree_util.tree_flatten_with_path(mapping)
    same([leaf for _, leaf in pairs], wanted, identical=True)


@law(
    "the leaves of a defaultdict come in the order of its sorted keys, with paths and without",
    source=_SORTED,
    case=_reordered(),
    level="should",
)
def defaultdict_leaves_are_sorted_by_key(lib, case):
    mapping = _defaultdict(case, case.items)
    wanted = lib.tree_util.tree_leaves([mapping[key] for key in sorted(mapping)])
    same(lib.tree_util.tree_leaves(mapping), wanted, identical=True)
    pairs, _ = lib.tree_util.tree_flatten_with_path(mapping)
    same([leaf for _, leaf in pairs], wanted, identical=True)


@law(
    "`tree_map` over dicts with different orders of insertion pairs the values of equal keys",
    source=_SORTED,
    case=_reordered(),
)
def map_pairs_equal_keys(lib, case):
    pairs = []
    one, other = dict(case.items), dict(case.others)
    lib.tree_util.tree_map(lambda *pair: pairs.append(pair), one, other)
    true(all(left is right for left, right in pairs), pairs, "pairs of one object")
    same(len(pairs), len(lib.tree_util.tree_leaves(one)))


@law(
    "`tree_map` over defaultdicts with different orders of insertion pairs the values of equal "
    "keys",
    source=_SORTED,
    case=_reordered(),
    level="should",
)
def map_pairs_equal_keys_of_defaultdicts(lib, case):
    pairs = []
    one, other = _defaultdict(case, case.items), _defaultdict(case, case.others)
    lib.tree_util.tree_map(lambda *pair: pairs.append(pair), one, other)
    true(all(left is right for left, right in pairs), pairs, "pairs of one object")
    same(len(pairs), len(lib.tree_util.tree_leaves(one)))


@law(
    "an OrderedDict keeps the order of its items, in its leaves and when it is rebuilt",
    source=_SORTED,
    case=_reordered(),
)
def ordered_dict_keeps_its_order(lib, case):
    tree = _ordered(case.others)
    wanted = lib.tree_util.tree_leaves([value for _, value in case.others])
    leaves, treedef = lib.tree_util.tree_flatten(tree)
    same(leaves, wanted, identical=True)
    same(list(lib.tree_util.tree_unflatten(treedef, leaves)), list(tree))


@law(
    "OrderedDicts with the same keys in different orders have different structures",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_reordered(distinct=True),
    level="should",
)
def ordered_dict_order_is_structure(lib, case):
    one, other = _ordered(case.items), _ordered(case.others)
    differ(lib.tree_util.tree_structure(one), lib.tree_util.tree_structure(other))


@law(
    "a rebuilt defaultdict has the same type and factory, and another factory is another structure",
    source="https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py",
    case=_reordered(),
    level="should",
)
def defaultdict_keeps_its_factory(lib, case):
    tree = _defaultdict(case, case.items)
    got = lib.tree_util.tree_map(lambda leaf: leaf, tree)
    same(got, tree, identical=True)
    same(got.default_factory, case.factory)
    other = type(tree)(tuple, case.items)
    differ(lib.tree_util.tree_structure(tree), lib.tree_util.tree_structure(other))


@law(
    "flattening a dict whose keys Python cannot sort raises an error, with paths and without",
    source=_SORTED,
    case=cases(tree=expressions(*_UNSORTED), context=hostile_trees),
)
def keys_without_order_are_refused(lib, case):
    tree = [case.context, case.tree]
    refuses(Exception, lambda: in_thread(lambda: lib.tree_util.tree_flatten(tree)))
    refuses(Exception, lambda: in_thread(lambda: lib.tree_util.tree_flatten_with_path(tree)))


@law(
    "flattening a dict or defaultdict whose keys Python cannot sort raises ValueError or TypeError",
    source=_TESTS,
    case=cases(tree=expressions(*_UNSORTED), context=hostile_trees),
    level="should",
)
def keys_without_order_are_a_value_or_type_error(lib, case):
    for tree in (case.tree, collections.defaultdict(int, case.tree)):
        for function in (lib.tree_util.tree_flatten, lib.tree_util.tree_flatten_with_path):
            call = lambda function=function, tree=tree: function([case.context, tree])
            refuses((ValueError, TypeError), lambda call=call: in_thread(call))


@law(
    "the only key of a dict may be any hashable object, since it needs no order",
    source=_SORTED,
    case=cases(key=expressions(*_ALONE), tree=hostile_trees),
    level="should",
)
def single_key_is_any_hashable_object(lib, case):
    tree = {case.key: case.tree}
    same(lib.tree_util.tree_map(lambda leaf: leaf, tree)[case.key], case.tree, identical=True)
    pairs, _ = lib.tree_util.tree_flatten_with_path(tree)
    true(all(path[0].key is case.key for path, _ in pairs), pairs, f"paths through {case.key!r}")


def _defaultdict(case, items):
    return collections.defaultdict(case.factory, items)


def _ordered(items):
    return collections.OrderedDict(items)
