"""Equinox: trees on several devices, with leaves that are not arrays.

The meshes of functions that compute have automatic axes; with explicit ones, JAX asks for the
sharding of a result that does not follow from its input.
"""

from __future__ import annotations

import io

import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.ways import PLAIN, bind_way
from hypothesis_pytrees.equinox.calls import WAYS
from treelaws.equality import same, true
from treelaws.laws._sharded import halved_squares, on_devices, sharded_trees

from ._functions import inexact_leaves, is_array, is_inexact
from .shard import law

_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."
_PARALLEL = "https://docs.kidger.site/equinox/examples/parallelism/"
_EQUAL = "https://docs.kidger.site/equinox/api/manipulation/#equinox.tree_equal"
_SAVE = "https://docs.kidger.site/equinox/api/serialisation/#equinox.tree_serialise_leaves"
_ERROR = "https://docs.kidger.site/equinox/api/errors/#equinox.error_if"
_NEEDS = {"eight_devices", "filter_shard"}
_MIXED = sharded_trees("mixed")
# `halved_squares` takes the real part, so these cannot differentiate it.
_REAL = _MIXED.filter(lambda recipe: "leaf:sharded-complex64" not in recipe.features)


@st.composite
def _called(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    scope.include(draw(_MIXED))
    bind_way(draw, scope, WAYS, "function, args, named", forms=PLAIN)
    return scope.recipe()


@st.composite
def _checked(draw: st.DrawFn) -> Recipe:
    """Bind also `numbers` of eight rows and `rows`, their sharding."""
    scope = Scope()
    scope.include(draw(_MIXED.filter(lambda recipe: "leaf-is:array" in recipe.features)))
    scope.bind("numbers", "jax.device_put(np.arange(8))")
    spec = "jax.sharding.PartitionSpec(mesh.axis_names[0])"
    scope.bind("rows", f"jax.sharding.NamedSharding(mesh, {spec})")
    return scope.recipe()


@law(
    "`filter_shard` with a tree prefix of shardings puts the arrays of a tree where it says, and "
    "keeps other leaves",
    source=f"{_DOCS}filter_shard",
    needs=_NEEDS,
    case=sharded_trees("mixed", explicit=True),
)
def arrays_go_where_the_prefix_says(lib, case):
    placed = lib.filter_shard(case.tree, case.where)
    same(placed, case.tree)
    on_devices(placed, case.where)


@law(
    "within `filter_jit`, `filter_shard` with a tree prefix of shardings on automatic axes changes "
    "no value, and the result has its shardings",
    source=f"{_DOCS}filter_shard",
    needs={*_NEEDS, "filter_jit"},
    case=sharded_trees("mixed", names=("where", "other")),
    parents=[arrays_go_where_the_prefix_says],
)
def constrained_arrays_go_where_the_prefix_says(lib, case):
    placed = lib.filter_shard(case.tree, case.where)
    for tree in (case.tree, placed):
        found = lib.filter_jit(lambda tree: lib.filter_shard(_turned(tree), case.other))(tree)
        same(found, _turned(case.tree))
        on_devices(found, case.other)


@law(
    "a function of a tree on several devices gives the result of one device in each transformation "
    "of Equinox",
    source=_PARALLEL,
    level="should",
    needs={*_NEEDS, "filter_jit", "filter_vmap", "filter_checkpoint", "filter_closure_convert"},
    case=_called(),
    parents=[arrays_go_where_the_prefix_says],
)
def each_way_makes_the_call_on_devices(lib, case):
    placed, own = lib.filter_shard(case.tree, case.where), object()
    function = lambda tree, own: (_turned(tree), own)
    same(case.run(function, (placed, own), {}), (_turned(case.tree), own))


@law(
    "derivatives by the real arrays of a tree on several devices are those of one device",
    source=_PARALLEL,
    level="should",
    needs={*_NEEDS, "filter_grad", "filter_value_and_grad", "filter_jit"},
    case=_REAL,
    parents=[arrays_go_where_the_prefix_says],
)
def derivatives_on_devices_are_those_of_one(lib, case):
    placed = lib.filter_shard(case.tree, case.where)
    wanted = jtu.tree_map(_strong, lib.filter(case.tree, is_inexact))
    for derivative in (
        lib.filter_grad(_energy),
        lib.filter_jit(lib.filter_grad(_energy)),
        lambda tree: lib.filter_value_and_grad(_energy)(tree)[1],
    ):
        same(jtu.tree_map(_strong, derivative(placed)), wanted)


@law(
    "a tree on several devices is saved as one on one device, and loaded into either",
    source=_SAVE,
    level="should",
    needs={*_NEEDS, "tree_serialise_leaves", "tree_deserialise_leaves"},
    case=_MIXED,
    parents=[arrays_go_where_the_prefix_says],
)
def trees_on_devices_are_saved_as_on_one(lib, case):
    placed = lib.filter_shard(case.tree, case.where)
    files = [io.BytesIO(), io.BytesIO()]
    for file, tree in zip(files, (placed, case.tree), strict=True):
        lib.tree_serialise_leaves(file, tree)
    same(files[0].getvalue(), files[1].getvalue())
    for like in (placed, case.tree):
        files[0].seek(0)
        # A file has no weak types.
        loaded = lib.tree_deserialise_leaves(files[0], like)
        same(jtu.tree_map(_strong, loaded), jtu.tree_map(_strong, case.tree))


@law(
    "`tree_equal` compares the values of trees, whatever parts the devices of a mesh have",
    source=_EQUAL,
    level="should",
    needs={*_NEEDS, "tree_equal"},
    case=sharded_trees("mixed", names=("where", "other")),
    parents=[arrays_go_where_the_prefix_says],
)
def trees_on_other_devices_are_equal(lib, case):
    one, two = (lib.filter_shard(case.tree, place) for place in (case.where, case.other))
    true(bool(lib.tree_equal(one, case.tree)), "unequal", "a tree that equals itself on one device")
    true(bool(lib.tree_equal(one, one)), "unequal", "a tree that equals itself")
    true(bool(lib.tree_equal(one, two)), "unequal", "a tree that equals itself elsewhere")


@law(
    "`error_if` gives a tree on several devices back where no predicate is true",
    source=_ERROR,
    level="should",
    needs={*_NEEDS, "error_if", "filter_jit"},
    case=_checked(),
    parents=[arrays_go_where_the_prefix_says],
)
def errors_that_do_not_arise_change_nothing(lib, case):
    """Where a predicate is true, JAX aborts the process after a minute; Equinox issue 1232 is open.

    https://github.com/patrick-kidger/equinox/issues/1232
    """
    placed, numbers = lib.filter_shard((case.tree, case.numbers), (case.where, case.rows))
    checked = lib.filter_jit(lambda tree, wrong: lib.error_if(tree, wrong, "too large"))
    same(checked(placed, numbers > 7), case.tree)


@law(
    "`filter_vmap` over the rows of a tree on several devices gives the results of one device",
    source=_PARALLEL,
    level="should",
    needs={*_NEEDS, "filter_vmap"},
    case=sharded_trees("rows"),
    parents=[arrays_go_where_the_prefix_says],
)
def rows_on_devices_are_mapped(lib, case):
    placed = lib.filter_shard(case.tree, case.where)
    mapped = lib.filter_vmap(lambda held: (_turned(held[0]), -held[1]), axis_size=8)
    wanted = mapped((case.tree, jnp.arange(8)))
    same(mapped((placed, jnp.arange(8))), wanted)
    same(lib.filter_jit(mapped)((placed, jnp.arange(8))), wanted)


def _turned(tree):
    """Turn the entries of each array around."""
    return jtu.tree_map(_turned_leaf, tree)


def _turned_leaf(leaf):
    # A compiled function sees a NumPy array as one of JAX.
    return leaf[::-1] if getattr(leaf, "ndim", 0) else leaf


def _energy(tree):
    return halved_squares(inexact_leaves(tree))


def _strong(leaf):
    return leaf.astype(leaf.dtype) if is_array(leaf) else leaf
