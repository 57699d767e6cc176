"""JAX: `shard_map` over the parts of a tree, and collectives of trees within it."""

from __future__ import annotations

import functools
import itertools
import math

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.meshes import draw_mesh, draw_shardings
from hypothesis_pytrees.trees.positions import bind_tree, names_of
from treelaws.equality import same
from treelaws.laws._sharded import arrays_of, block, each_sharding, halved_squares, sharded_trees

from .sharding import law

_MAP = "https://docs.jax.dev/en/latest/_autosummary/jax.shard_map.html"
_GUIDE = "https://docs.jax.dev/en/latest/201/shard-map.html"
_COLLECTIVES = f"{_GUIDE}#collectives-tutorial"
_NEEDS = {"eight_devices", "shard_map", "sharding.PartitionSpec"}
# By name: the function of one axis or several, and what it makes of the blocks of a group.
_SUMS = {
    "psum": lambda parts: [sum(parts[1:], parts[0])] * len(parts),
    "pmean": lambda parts: [sum(parts[1:], parts[0]) / len(parts)] * len(parts),
    "pmax": lambda parts: [functools.reduce(np.maximum, parts)] * len(parts),
    "pmin": lambda parts: [functools.reduce(np.minimum, parts)] * len(parts),
    "all_gather": lambda parts: [np.stack(parts)] * len(parts),
    "ppermute": lambda parts: [*parts[-1:], *parts[:-1]],
}


@st.composite
def _grouped(draw: st.DrawFn, leaves: str = "floats", *, several: bool = True) -> Recipe:
    """Bind `tree`, `mesh`, `specs`, `axes`, some axes of the mesh in some order, and `name`."""
    scope = Scope()
    tree = bind_tree(draw, scope, arrays_of(leaves))
    names_of(scope)
    mesh = draw_mesh(draw, scope)
    name = draw(st.sampled_from(tuple(_SUMS)))
    # JAX 0.12 asks `ppermute` for the order of the mesh, unless an option allows another one.
    choose = itertools.combinations if name == "ppermute" else itertools.permutations
    most = len(mesh.axes) if several else 1
    orders = [one for count in range(1, most + 1) for one in choose(mesh.axes, count)]
    axes = orders[draw(st.integers(0, len(orders) - 1))]
    named = None if several else axes
    draw_shardings(draw, scope, mesh, tree, name="specs", specs=True, axes=named)
    # One axis has a name or is a tuple of one.
    bare = len(axes) == 1 and draw(st.booleans())
    scope.bind("axes", repr(axes[0] if bare else axes))
    scope.note(f"collective:{name}", f"axes:{len(axes)}")
    scope.bind("name", repr(name))
    return scope.recipe()


@law(
    "`shard_map` with tree prefixes of specs maps a function over the parts of a tree, and joins "
    "the parts of the result",
    source=_MAP,
    needs=_NEEDS,
    case=sharded_trees("arrays", names=("specs",), specs=True),
)
def parts_are_mapped_and_joined(lib, case):
    options = {"mesh": case.mesh, "in_specs": (case.specs,), "out_specs": case.specs}
    mapped = lib.shard_map(_changed, **options)
    same(mapped(case.tree), _changed(case.tree))
    same(lib.jit(mapped)(case.tree), _changed(case.tree))


@law(
    "within `shard_map`, a collective of a tree along some axes combines the parts of the devices "
    "along those axes, in the order of the axes",
    source=_COLLECTIVES,
    level="should",
    needs=_NEEDS,
    case=_grouped(),
    parents=[parts_are_mapped_and_joined],
)
def collectives_combine_the_parts_of_a_tree(lib, case):
    """The guide says it of one axis, and of a sum over several; specs have the same order."""
    apart = lib.sharding.PartitionSpec(case.mesh.axis_names)
    call = lambda tree: jtu.tree_map(lambda leaf: leaf[None], _collective(lib, case)(tree))
    # With the check, a collective takes axes along which all of its input varies, or none.
    options = {"mesh": case.mesh, "in_specs": (case.specs,), "out_specs": apart}
    same(lib.shard_map(call, check_vma=False, **options)(case.tree), _combined(case))


@law(
    "with `axis_names`, `shard_map` within `jit` maps over the parts along these axes alone",
    source=_MAP,
    needs=_NEEDS,
    case=_grouped("arrays", several=False),
    parents=[parts_are_mapped_and_joined],
)
def some_axes_are_mapped_over(lib, case):
    names = {*([case.axes] if isinstance(case.axes, str) else case.axes)}
    options = {"mesh": case.mesh, "in_specs": (case.specs,), "out_specs": case.specs}
    mapped = lib.shard_map(_changed, axis_names=names, **options)
    same(lib.jit(mapped)(case.tree), _changed(case.tree))


@law(
    "the derivative of a sum over all parts of a tree in `shard_map` counts each part once for "
    "each device that has it",
    source=_GUIDE,
    level="should",
    needs={*_NEEDS, "grad"},
    case=sharded_trees("floats", names=("specs",), specs=True),
    parents=[parts_are_mapped_and_joined],
)
def each_part_has_its_derivative(lib, case):
    # One axis after the other, since a part may be the same along some of them.
    add = lambda total, name: lib.lax.psum(total, name)
    total = lambda tree: functools.reduce(add, case.mesh.axis_names, halved_squares(tree))
    options = {"mesh": case.mesh, "in_specs": (case.specs,)}
    mapped = lib.shard_map(total, out_specs=lib.sharding.PartitionSpec(), **options)
    same(lib.jit(lib.grad(mapped))(case.tree), _counted(case))


def _changed(tree):
    return jtu.tree_map(lambda leaf: ~leaf if leaf.dtype == bool else -leaf, tree)


def _collective(lib, case):
    if case.name == "ppermute":
        count = _size(case)
        pairs = [(place, (place + 1) % count) for place in range(count)]
        return lambda tree: lib.lax.ppermute(tree, case.axes, pairs)
    return lambda tree: getattr(lib.lax, case.name)(tree, case.axes)


def _axes(case):
    return (case.axes,) if isinstance(case.axes, str) else case.axes


def _size(case):
    return math.prod(case.mesh.shape[name] for name in _axes(case))


def _combined(case):
    """Return for each leaf the results of all devices along a new leading axis, by NumPy."""
    leaves, treedef = jtu.tree_flatten(case.tree)
    pairs = zip(leaves, each_sharding(case.specs, case.tree), strict=True)
    return treedef.unflatten([_combined_leaf(case, np.asarray(leaf), spec) for leaf, spec in pairs])


def _combined_leaf(case, whole, spec):
    sizes = case.mesh.shape
    places = list(itertools.product(*map(range, sizes.values())))
    order = [list(sizes).index(name) for name in _axes(case)]
    rest = [axis for axis in range(len(sizes)) if axis not in order]
    groups: dict[tuple, list] = {}
    # The last of the named axes changes first.
    for place in sorted(places, key=lambda place: [place[axis] for axis in order]):
        groups.setdefault(tuple(place[axis] for axis in rest), []).append(place)
    found = {}
    for group in groups.values():
        parts = [block(whole, spec, sizes, place) for place in group]
        found.update(zip(group, _SUMS[case.name](parts), strict=True))
    return jnp.asarray(np.stack([found[place] for place in places]).astype(whole.dtype))


def _counted(case):
    """Return the leaves times the number of devices that have a part."""
    leaves, treedef = jtu.tree_flatten(case.tree)
    pairs = zip(leaves, each_sharding(case.specs, case.tree), strict=True)
    return treedef.unflatten([leaf * _copies(case, spec) for leaf, spec in pairs])


def _copies(case, spec):
    entries = [(entry,) if isinstance(entry, str) else entry or () for entry in spec]
    named = set(itertools.chain.from_iterable(entries))
    return math.prod(size for name, size in case.mesh.shape.items() if name not in named)
