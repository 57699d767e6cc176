"""Boxes of Flax that hold a value and metadata of its axes, and trees with such boxes."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import arrays
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import trees

OWN_BOX = """\
class FlaxUnitBox(flax.struct.PyTreeNode, flax.core.meta.AxisMetadata):
    value: typing.Any
    units: tuple = flax.struct.field(default=(), pytree_node=False)

    def unbox(self):
        return self.value

    def replace_boxed(self, value):
        return self.replace(value=value)

    def add_axis(self, index, params):
        return self.replace(units=(*self.units[:index], params, *self.units[index:]))

    def remove_axis(self, index, params):
        return self.replace(units=(*self.units[:index], *self.units[index + 1 :]))
"""


def _box(name: str, template: str, *definitions: str) -> Kind:
    return Kind("flax-box", template, definitions, (f"box:{name}",))


# `$0` stands for the value, `$names` for the names of its axes.
BOXES: Sequence[Kind] = (
    _box("Partitioned", "flax.core.meta.Partitioned($0, names=$names)"),
    _box("LogicallyPartitioned", "flax.linen.LogicallyPartitioned($0, names=$names)"),
    _box(
        "LogicallyPartitioned",
        "flax.linen.LogicallyPartitioned($0, names=$names, rules=(('rows', 'data'),))",
    ),
    _box("NNXMeta", "nnx.bridge.variables.NNXMeta(nnx.Param, $0, {'out_sharding': $names})"),
)
# Those whose metadata a Variable can take.
FOR_LINEN = tuple(kind for kind in BOXES if "box:NNXMeta" not in kind.features)
_NAMES = (None, "rows", "columns")
# Boxes with no names, as parts of trees.
_IN_TREES: Sequence[Kind] = (
    *(
        Kind(kind.name, kind.template.replace("$names", "('rows',)"), (), kind.features)
        for kind in BOXES
    ),
    _box("own", "FlaxUnitBox($0, ('m',))", OWN_BOX),
)


@st.composite
def named_boxes(draw: st.DrawFn, kinds: Sequence[Kind] = BOXES) -> Recipe:
    """Draw `box`, the `value` in it, the `names` of its axes, and the `index` of another axis.

    `names_of` reads the names of a box.

    Args:
        kinds: the boxes; one that the releases have is drawn.
    """
    scope = Scope()
    kind = draw(st.sampled_from(available(kinds)))
    scope.note(*kind.features)
    scope.bind("value", draw(arrays()))
    names = tuple(draw(st.lists(st.sampled_from(_NAMES), max_size=3)))
    scope.bind("names", repr(names))
    index = draw(st.integers(-len(names) - 1, len(names)) if draw(st.booleans()) else st.just(0))
    scope.note("axis:negative-inner" if -len(names) <= index < 0 else "axis:position")
    scope.bind("index", str(index))
    scope.bind("box", kind.template.replace("$names", "names").replace("$0", "value"))
    read = "box.metadata['out_sharding']" if "box:NNXMeta" in kind.features else "box.names"
    scope.bind("names_of", f"lambda box: {read}")
    return scope.recipe()


@st.composite
def boxed_trees(draw: st.DrawFn) -> Recipe:
    """Draw a `tree` in which some values stand in boxes, also in boxes within boxes."""
    scope = Scope()
    kinds = (*CONTAINERS, *_IN_TREES)
    scope.bind("tree", draw(trees(arrays(), roots=kinds, kinds=kinds, max_leaves=4)))
    return scope.recipe()
