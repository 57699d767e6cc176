"""Equinox: `filter`, `partition`, `combine`."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, leaves, trees
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.positions import bind_tree
from hypothesis_pytrees.trees.predicates import draw_is_leaf
from hypothesis_pytrees.trees.selectors import draw_where
from hypothesis_pytrees.trees.specs import draw_spec, partitions
from hypothesis_pytrees.trees.trees import EVERY_KIND
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

law = Topic("equinox.filter", "Equinox: filter, partition and combine", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/manipulation/"
_TREES = trees(leaves(hostile=True), history=True)
# Excludes nodes that check their children when they are rebuilt, as `jtu.Partial` checks its dict
# of keywords: no other value can replace a child that `is_leaf` accepts.
_FREE = tuple(kind for kind in EVERY_KIND if "node:typed-children" not in kind.features)
_CUT = trees(leaves(hostile=True), kinds=_FREE, history=True)
# Leaves that are the same object at every place.
_ALIKE = trees(st.sampled_from([Recipe(expression=text) for text in ("1", "'a'")]), kinds=_FREE)
_SPLIT = st.one_of(partitions(_TREES, is_leaf=False), partitions(_CUT))
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/_filters.py"
# Replaces leaves that are filtered out; found again by identity.
_HOLE = object()


@st.composite
def _several_specs(draw: st.DrawFn) -> Recipe:
    """Draw a tree, `is_leaf` and three filter specs: `spec`, `spec_2` and `spec_3`."""
    scope = Scope()
    tree = bind_tree(draw, scope, _CUT)
    predicate = draw_is_leaf(draw, scope, tree) if draw(st.booleans()) else None
    if predicate is None:
        scope.bind("is_leaf", "None")
    for _ in range(3):
        draw_spec(draw, scope, tree, is_leaf=predicate)
    return scope.recipe()


@st.composite
def _replaced(draw: st.DrawFn) -> Recipe:
    """Draw a tree, a spec and any tree as `replace`."""
    scope = Scope()
    scope.include(draw(_SPLIT))
    scope.bind("replace", draw(trees()))
    return scope.recipe()


@st.composite
def _paths(draw: st.DrawFn) -> Recipe:
    """Draw a tree, a `where` that selects some of its leaves by path, and their `positions`."""
    scope = Scope()
    tree = bind_tree(draw, scope, _TREES)
    where = draw_where(draw, scope, tree, subtrees=False, positions=False, extend=True)
    scope.bind("positions", repr([place.leaf_order for place in where.targets]))
    return scope.recipe()


@st.composite
def _pairs(draw: st.DrawFn, specs: tuple[str, ...]) -> Recipe:
    """Draw a list of two trees, and a spec from a table."""
    scope = Scope()
    scope.bind("tree", f"[{scope.include(draw(trees()))}, 1]")
    scope.bind("spec", specs[draw(st.integers(0, len(specs) - 1))])
    return scope.recipe()


# Neither a Python bool nor callable.
_BAD_LEAVES = ("1", "0", "1.0", "'True'", "np.bool_(True)", "jax.device_put(True)")
_BAD_LEAF_SPECS = tuple(
    spec for bad in _BAD_LEAVES for spec in (bad, f"[{bad}, True]", f"[callable, {bad}]")
)
# None of these is a prefix of a list of two trees.
_BAD_SHAPES = (
    *("[True]", "[True, True, True]", "(True, False)", "{'a': True}", "[]", "None"),
    *("[True, [True]]", "collections.OrderedDict(a=True, b=True)"),
)


@law(
    "`combine(*partition(tree, spec))` returns the tree, with the very same leaves",
    source=f"{_DOCS}#equinox.combine",
    needs={"partition", "combine"},
    case=_SPLIT,
)
def combine_undoes_partition(lib, case):
    """Both get the same `is_leaf`; no spec leaf lies inside a node that `is_leaf` accepts."""
    kept, rest = lib.partition(case.tree, case.spec, is_leaf=case.is_leaf)
    same(lib.combine(kept, rest, is_leaf=case.is_leaf), case.tree, identical=True)


@law(
    "`combine` undoes `partition` with the two halves in either order",
    source=f"{_DOCS}#equinox.combine",
    needs={"partition", "combine"},
    case=_SPLIT,
    parents=(combine_undoes_partition,),
)
def combine_undoes_partition_in_either_order(lib, case):
    kept, rest = lib.partition(case.tree, case.spec, is_leaf=case.is_leaf)
    same(lib.combine(rest, kept, is_leaf=case.is_leaf), case.tree, identical=True)


@law(
    "`partition(tree, spec)` equals `(filter(tree, spec), filter(tree, spec, inverse=True))`",
    source=f"{_DOCS}#equinox.partition",
    needs={"partition", "filter"},
    case=_SPLIT,
)
def partition_is_filter_and_its_inverse(lib, case):
    options = {"replace": 7, "is_leaf": case.is_leaf}
    kept, rest = lib.partition(case.tree, case.spec, **options)
    same(kept, lib.filter(case.tree, case.spec, **options), identical=True)
    same(rest, lib.filter(case.tree, case.spec, inverse=True, **options), identical=True)


@law(
    "exactly one of `filter(tree, spec)` and `filter(tree, spec, inverse=True)` keeps a leaf, as"
    " the same object",
    source=f"{_DOCS}#equinox.filter",
    needs={"filter"},
    case=_SPLIT,
)
def each_leaf_is_kept_by_filter_or_its_inverse(lib, case):
    options = {"replace": _HOLE, "is_leaf": case.is_leaf}
    kept = lib.filter(case.tree, case.spec, **options)
    rest = lib.filter(case.tree, case.spec, inverse=True, **options)
    kept, rest = (jtu.tree_leaves(half, is_leaf=case.is_leaf) for half in (kept, rest))
    pairs = zip(kept, rest, strict=True)
    got = [b if a is _HOLE else a for a, b in pairs if (a is _HOLE) is not (b is _HOLE)]
    same(got, jtu.tree_leaves(case.tree, is_leaf=case.is_leaf), identical=True)


@law(
    "`filter(tree, spec)` returns a tree of the same structure",
    source=f"{_DOCS}#equinox.filter",
    needs={"filter"},
    case=_SPLIT,
)
def filter_keeps_the_structure(lib, case):
    kept = lib.filter(case.tree, case.spec, replace=_HOLE, is_leaf=case.is_leaf)
    same(_without_values(kept, case.is_leaf), _without_values(case.tree, case.is_leaf))


@law(
    "filtering twice with the same `spec` equals filtering once",
    source=f"{_DOCS}#equinox.filter",
    needs={"filter"},
    case=_SPLIT,
)
def filter_is_idempotent(lib, case):
    """Callables in the spec accept `None`, which the filtered tree contains."""
    once = lib.filter(case.tree, case.spec, is_leaf=case.is_leaf)
    same(lib.filter(once, case.spec, is_leaf=case.is_leaf), once, identical=True)


@law(
    "a leaf of a prefix `spec` applies to every leaf below it",
    source=f"{_DOCS}#equinox.filter",
    needs={"filter"},
    case=_SPLIT,
)
def a_prefix_spec_is_its_broadcast(lib, case):
    full = jtu.tree_map(
        lambda leaf, below: jtu.tree_map(lambda _: leaf, below, is_leaf=case.is_leaf),
        case.spec,
        case.tree,
    )
    wanted = lib.filter(case.tree, full, is_leaf=case.is_leaf)
    same(lib.filter(case.tree, case.spec, is_leaf=case.is_leaf), wanted, identical=True)


@law(
    "`filter(tree, True)` keeps every leaf; `filter(tree, False)` replaces every leaf",
    source=f"{_DOCS}#equinox.filter",
    needs={"filter"},
    case=_SPLIT,
)
def a_bool_keeps_or_replaces_everything(lib, case):
    wanted = jtu.tree_map(lambda _: 7, case.tree, is_leaf=case.is_leaf)
    same(lib.filter(case.tree, True, is_leaf=case.is_leaf), case.tree, identical=True)
    same(lib.filter(case.tree, False, replace=7, is_leaf=case.is_leaf), wanted)


@law(
    "`filter(tree, function)` keeps exactly the leaves that `function` accepts",
    source=f"{_DOCS}#equinox.filter",
    needs={"filter"},
    case=st.one_of(partitions(_ALIKE), _SPLIT),
)
def a_callable_is_asked_about_each_leaf(lib, case):
    asked, flat = [], jtu.tree_leaves(case.tree, is_leaf=case.is_leaf)
    spec = lambda leaf: asked.append(leaf) is None and len(asked) % 2 == 1
    kept = lib.filter(case.tree, spec, replace=_HOLE, is_leaf=case.is_leaf)
    same(asked, flat, identical=True)
    wanted = [_HOLE if index % 2 else leaf for index, leaf in enumerate(flat)]
    same(jtu.tree_leaves(kept, is_leaf=case.is_leaf), wanted, identical=True)


@law(
    "`replace` takes the place of each leaf that is filtered out, and of no other leaf",
    source=f"{_DOCS}#equinox.filter",
    needs={"filter"},
    case=_replaced(),
    weight=2,
)
def replace_stands_where_a_leaf_went(lib, case):
    options = {"is_leaf": case.is_leaf}
    holes = lib.filter(case.tree, case.spec, replace=_HOLE, **options)
    wanted = jtu.tree_map(lambda leaf: case.replace if leaf is _HOLE else leaf, holes)
    same(lib.filter(case.tree, case.spec, replace=case.replace, **options), wanted, identical=True)


@law(
    "`filter` and `partition` do not change their input",
    source="https://docs.kidger.site/equinox/faq/#how-to-share-a-layer-across-two-parts-of-a-model",
    needs={"filter", "partition"},
    level="should",
    case=_SPLIT,
)
def splitting_leaves_the_input_alone(lib, case):
    before = jtu.tree_map(lambda leaf: leaf, case.tree)
    lib.filter(case.tree, case.spec, replace=7, is_leaf=case.is_leaf)
    lib.partition(case.tree, case.spec, replace=7, is_leaf=case.is_leaf)
    same(case.tree, before, identical=True)


@law(
    "filtering by path equals filtering by position, even if leaves are equal or the same object",
    source="https://docs.kidger.site/equinox/examples/frozen_layer/",
    needs={"partition", "tree_at"},
    case=_paths(),
)
def a_path_picks_one_position(lib, case):
    nothing = jtu.tree_map(lambda _: False, case.tree)
    spec = lib.tree_at(case.where, nothing, replace_fn=lambda _: True)
    trained, frozen = lib.partition(case.tree, spec)
    rest = set(range(len(jtu.tree_leaves(case.tree)))) - set(case.positions)
    same(trained, _kept(case.tree, case.positions), identical=True)
    same(frozen, _kept(case.tree, rest), identical=True)


@law(
    "filtering by identity keeps an object at every place where it occurs",
    source="https://github.com/patrick-kidger/equinox/issues/651",
    level="should",
    needs={"filter"},
    case=_paths(),
    weight=3,
)
def an_identity_picks_every_alias(lib, case):
    flat = jtu.tree_leaves(case.tree)
    chosen = flat[case.positions[0]]
    wanted = _kept(case.tree, [i for i, leaf in enumerate(flat) if leaf is chosen])
    same(lib.filter(case.tree, lambda leaf: leaf is chosen), wanted, identical=True)


@law(
    "if several trees have a leaf at the same place, `combine` takes the leaf of the first tree",
    source=f"{_DOCS}#equinox.combine",
    needs={"combine"},
    case=partitions(_TREES, is_leaf=False),
)
def combine_takes_the_first(lib, case):
    second = _with_new_leaves(case.tree, None)
    holes = lib.filter(case.tree, case.spec, replace=_HOLE)
    wanted = jtu.tree_map(lambda leaf, new: new if leaf is _HOLE else leaf, holes, second)
    kept = lib.filter(case.tree, case.spec)
    same(lib.combine(kept, second, case.tree), wanted, identical=True)


@law(
    "`combine` is associative",
    source=f"{_DOCS}#equinox.combine",
    needs={"combine"},
    case=_several_specs(),
)
def combine_is_associative(lib, case):
    options = {"is_leaf": case.is_leaf}
    one = lib.filter(case.tree, case.spec, **options)
    two = lib.filter(_with_new_leaves(case.tree, case.is_leaf), case.spec_2, **options)
    three = lib.filter(_with_new_leaves(case.tree, case.is_leaf), case.spec_3, **options)
    wanted = lib.combine(one, two, three, **options)
    for got in (
        lib.combine(lib.combine(one, two, **options), three, **options),
        lib.combine(one, lib.combine(two, three, **options), **options),
    ):
        same(got, wanted, identical=True)


@law(
    "`combine` of a tree with itself, with a tree of `None` or with no other tree returns that"
    " tree",
    source=f"{_DOCS}#equinox.combine",
    needs={"combine"},
    case=_SPLIT,
)
def combine_adds_nothing_of_its_own(lib, case):
    tree = lib.filter(case.tree, case.spec, is_leaf=case.is_leaf)
    nothing = lib.filter(case.tree, False, is_leaf=case.is_leaf)
    for together in ((tree,), (tree, tree), (tree, nothing), (nothing, tree)):
        same(lib.combine(*together, is_leaf=case.is_leaf), tree, identical=True)


@law(
    "`partition` and `filter` select the same leaves inside a trace as outside it",
    source=f"{_DOCS}#equinox.partition",
    needs={"partition", "combine", "filter"},
    level="should",
    case=cases(tree=_TREES),
)
def partition_inside_a_trace_is_the_one_outside(lib, case):
    arrays, rest = lib.partition(case.tree, _is_jax_array)

    def traced(arrays):
        inner, inner_rest = lib.partition(lib.combine(arrays, rest), _is_jax_array)
        same(inner, arrays, identical=True)
        same(inner_rest, rest, identical=True)
        same(lib.filter(lib.combine(arrays, rest), _is_jax_array), arrays, identical=True)

    jax.eval_shape(traced, arrays)


@law(
    "`filter` and `partition` raise ValueError for a spec leaf that is neither a bool nor callable",
    source=f"{_CODE}#L93-L105",
    level="should",
    needs={"filter", "partition"},
    case=_pairs(_BAD_LEAF_SPECS),
)
def another_spec_leaf_is_refused(lib, case):
    refuses(ValueError, lambda: lib.filter(case.tree, case.spec))
    refuses(ValueError, lambda: lib.partition(case.tree, case.spec))


@law(
    "`filter` raises ValueError for a traced bool in the spec",
    source=f"{_CODE}#L93-L105",
    level="should",
    needs={"filter"},
    case=_pairs(("[True, True]", "[False, True]")),
)
def a_traced_spec_is_refused(lib, case):
    def traced(flag):
        refuses(ValueError, lambda: lib.filter(case.tree, [flag, case.spec[1]]))
        refuses(ValueError, lambda: lib.filter(case.tree, flag))

    jax.eval_shape(traced, case.spec[0])


@law(
    "`filter` and `partition` raise ValueError for a spec that is not a prefix of the tree",
    source=f"{_DOCS}#equinox.filter",
    level="should",
    needs={"filter", "partition"},
    case=_pairs(_BAD_SHAPES),
)
def a_spec_of_another_structure_is_refused(lib, case):
    refuses(ValueError, lambda: lib.filter(case.tree, case.spec))
    refuses(ValueError, lambda: lib.partition(case.tree, case.spec))


def _is_jax_array(leaf):
    return isinstance(leaf, jax.Array)


def _without_values(tree, is_leaf):
    return jtu.tree_map(lambda _: 0, tree, is_leaf=is_leaf)


def _with_new_leaves(tree, is_leaf):
    """Replace each leaf by a new object, so that no two leaves are the same."""
    return jtu.tree_map(lambda _: object(), tree, is_leaf=is_leaf)


def _kept(tree, positions):
    """Keep the leaves at the given positions; replace the others by `None`."""
    flat, structure = jtu.tree_flatten(tree)
    kept = [leaf if index in positions else None for index, leaf in enumerate(flat)]
    return jtu.tree_unflatten(structure, kept)
