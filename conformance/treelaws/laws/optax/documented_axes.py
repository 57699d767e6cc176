"""Optax: which axes of a parameter form a matrix, as a tree or as a function of the parameters."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.trees.positions import names_of
from hypothesis_pytrees.trees.trees import draw_tree

from ._inputs import CODE, close
from .documented import law

_MAKERS = (
    way("galore", "optax.contrib.galore(0.5, rank=1, weight_dimension_numbers={})"),
    way("scale-by-galore", "optax.contrib.scale_by_galore(1, weight_dimension_numbers={})"),
    way("muon", "optax.contrib.muon(0.5, muon_weight_dimension_numbers={})"),
    way("scale-by-muon", "optax.contrib.scale_by_muon(weight_dimension_numbers={})"),
)
_MATRIX = "jax.device_put(np.float32([[1.0, -2.0, 0.5], [0.25, 3.0, 1.0]]))"
_SHAPED = (
    Kind("leaf", _MATRIX, (), ("leaf:matrix",)),
    Kind("leaf", "jax.device_put(np.float32(np.arange(12) % 5 + 1).reshape(2, 3, 2))", (),
         ("leaf:cube",)),
    Kind("leaf", "jax.device_put(np.float32([1.0, 2.0]))", (), ("leaf:vector",)),
)  # fmt: skip
_AXES = """\
def axes_of_matrices(kind):
    spec = lambda leaf: [None, None, kind(0, 1), kind((0, 1), 2)][leaf.ndim]
    return lambda tree: jtu.tree_map(spec, tree)
"""


@st.composite
def _matrices(draw: st.DrawFn) -> Recipe:
    """Bind `params`, `axes`, a function of them, and `make`, which takes it or its result."""
    scope = Scope()
    scope.define(_AXES)
    drawn = draw(st.sampled_from(available(_MAKERS)))
    scope.note(*drawn.features)
    # `scale_by_muon` takes matrices alone.
    leaves = pool(_SHAPED[:2] if "way:scale-by-muon" in drawn.features else _SHAPED)
    tree = draw_tree(draw, scope, leaves=leaves, kinds=CONTAINERS, max_leaves=3, alias=False)
    root = draw(st.sampled_from(("[{0}, {1}]", "{{'b': {0}, 'a': {1}}}", "{0}")))
    scope.bind("params", root.format(_MATRIX, tree))
    held = jtu.tree_leaves(names_of(scope)["params"], is_leaf=lambda node: node is None)
    scope.note(*(["params:None"] if any(node is None for node in held) else []))
    kind = "GaLore" if "galore" in drawn.template else "Muon"
    scope.bind("axes", f"axes_of_matrices(optax.contrib.{kind}DimensionNumbers)")
    scope.bind("make", f"lambda axes: {drawn.template.format('axes')}")
    return scope.recipe()


@law(
    "the axes that form a matrix may be a tree with the structure of the parameters, or a function "
    "of them that returns it: the updates are the same",
    source=f"{CODE}contrib/_galore.py#L208-L215",
    level="should",
    needs={"contrib.galore", "contrib.GaLoreDimensionNumbers", "contrib.MuonDimensionNumbers"},
    case=_matrices(),
    weight=10,
)
def axes_may_be_a_tree_or_a_function(lib, case):
    given, wanted = (
        _updates(case.make(axes), case.params) for axes in (case.axes(case.params), case.axes)
    )
    close(given, wanted)


def _updates(tx, params):
    """Return the second updates, which depend on the first ones."""
    _, state = tx.update(params, tx.init(params), params)
    return tx.update(jtu.tree_map(lambda leaf: leaf * 2, params), state, params)[0]
