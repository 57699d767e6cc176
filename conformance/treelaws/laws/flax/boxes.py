"""Flax: boxes that hold a value and the metadata of its axes."""

from __future__ import annotations

import dataclasses

import jax.tree_util as jtu

from hypothesis_pytrees.flax.boxes import FOR_LINEN, boxed_trees, named_boxes
from treelaws.core.law import Topic
from treelaws.equality import equal, same

law = Topic("flax.boxes", "Flax: boxes with axis metadata", family="flax")
# A fixed commit, so that its line numbers stay correct.
_META = (
    "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0/flax/core/meta.py"
)
_PARAMS = {"partition_name": "stack"}


@law(
    "a box that gets an axis and loses it again is the box",
    source=f"{_META}#L88-L108",
    needs={"core"},
    case=named_boxes(),
)
def remove_axis_undoes_add_axis(lib, case):
    added = case.box.add_axis(case.index, _PARAMS)
    _same_box(added.remove_axis(case.index, _PARAMS), case)


@law(
    "a box that gets an axis names it at its position, and holds the same value",
    source=f"{_META}#L234-L247",
    needs={"core"},
    case=named_boxes(),
)
def an_added_axis_is_named(lib, case):
    added, index = case.box.add_axis(case.index, _PARAMS), case.index
    at = index if index >= 0 else len(case.names) + 1 + index
    equal(tuple(case.names_of(added)), (*case.names[:at], "stack", *case.names[at:]))
    same(added.unbox(), case.value, identical=True)
    _same_box(case.box, case)


@law(
    "a box that loses an axis no longer names it, and holds the same value",
    source=f"{_META}#L110-L129",
    needs={"core"},
    case=named_boxes(),
)
def a_removed_axis_is_not_named(lib, case):
    for index, name in enumerate(case.names):
        removed = case.box.remove_axis(index, {"partition_name": name})
        equal(tuple(case.names_of(removed)), (*case.names[:index], *case.names[index + 1 :]))
        same(removed.unbox(), case.value, identical=True)
    _same_box(case.box, case)


@law(
    "`unbox` returns the value, `replace_boxed` a box of the same type with another value and the "
    "same metadata",
    source="https://flax.readthedocs.io/en/latest/flip/2434-general-metadata.html",
    needs={"core"},
    case=named_boxes(),
)
def a_boxed_value_is_replaced(lib, case):
    other = object()
    replaced = case.box.replace_boxed(other)
    equal(type(replaced), type(case.box))
    equal(replaced.unbox() is other, True)
    equal(_metadata(replaced), _metadata(case.box))
    _same_box(case.box, case)


@law(
    "the only leaves of a box are those of its value",
    source=f"{_META}#L65-L67",
    level="should",
    needs={"core"},
    case=named_boxes(),
)
def the_leaf_of_a_box_is_its_value(lib, case):
    same(jtu.tree_leaves(case.box), [case.value], identical=True)
    _same_box(jtu.tree_map(lambda leaf: leaf, case.box), case)


@law(
    "the spec of a box names the axes, and `get_partition_spec` does not change the box",
    source=f"{_META}#L289-L291",
    needs={"core"},
    case=named_boxes(FOR_LINEN),
)
def the_spec_of_a_box_has_the_names(lib, case):
    equal(tuple(case.box.get_partition_spec()), case.names)
    _same_box(case.box, case)


@law(
    "a box is made anew of the metadata that it gives for a Variable, and does not change",
    source=f"{_META}#L297-L309",
    level="should",
    needs={"core"},
    case=named_boxes(FOR_LINEN),
)
def a_box_comes_back_from_its_metadata(lib, case):
    metadata = case.box.to_nnx_metadata()
    _same_box(case.box, case)
    _same_box(type(case.box).from_nnx_metadata(metadata), case)


@law(
    "`unbox` strips a tree of all boxes, and leaves its other nodes and its leaves",
    source=f"{_META}#L159-L161",
    needs={"core"},
    case=boxed_trees(),
)
def unbox_strips_all_boxes(lib, case):
    same(lib.core.meta.unbox(case.tree), _stripped(lib, case.tree), identical=True)


@law(
    "`replace_boxed` of a tree by other values is the tree with these values in its boxes",
    source=f"{_META}#L164-L175",
    needs={"core"},
    case=boxed_trees(),
    parents=[unbox_strips_all_boxes],
)
def boxes_take_their_own_values(lib, case):
    others = jtu.tree_map(lambda _: object(), _stripped(lib, case.tree))
    replaced = lib.core.meta.replace_boxed(case.tree, others)
    equal(jtu.tree_structure(replaced), jtu.tree_structure(case.tree))
    same(_stripped(lib, replaced), others, identical=True)


@law(
    "`map_axis_meta` replaces each outermost box of a tree by what a function returns for it, and "
    "nothing else",
    source=f"{_META}#L137-L147",
    level="should",
    needs={"core"},
    case=boxed_trees(),
)
def map_axis_meta_maps_the_outermost_boxes(lib, case):
    is_box = lambda node: isinstance(node, lib.core.meta.AxisMetadata)
    mark = lambda node: _Marked(node) if is_box(node) else node
    mapped = lib.core.meta.map_axis_meta(_Marked, case.tree)
    same(mapped, jtu.tree_map(mark, case.tree, is_leaf=is_box))


@dataclasses.dataclass
class _Marked:
    """What a function returns for a box."""

    box: object

    def __eq__(self, other):
        return isinstance(other, _Marked) and other.box is self.box


def _same_box(box, case):
    """Check that a box has the type, value, names and other metadata of the one that was drawn."""
    equal(type(box), type(case.box))
    same(box.unbox(), case.value, identical=True)
    equal(tuple(case.names_of(box)), case.names)
    equal(_metadata(box), _metadata(case.box))


def _metadata(box):
    """Return the fields of a box but its value, by name."""
    fields = [field.name for field in dataclasses.fields(box)]
    return {name: getattr(box, name) for name in fields if name != "value"}


def _stripped(lib, tree):
    """Return a tree without boxes."""
    is_box = lambda node: isinstance(node, lib.core.meta.AxisMetadata)
    strip = lambda node: _stripped(lib, node.unbox()) if is_box(node) else node
    return jtu.tree_map(strip, tree, is_leaf=is_box)
