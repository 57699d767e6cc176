"""Flax NNX: `eval_shape` within a mesh, which adds the shardings that Variables name."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, Scope
from hypothesis_pytrees.core.contexts import WITHIN
from hypothesis_pytrees.core.releases import GRAPH_OPTIONS
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way
from hypothesis_pytrees.nnx.axes import STACKED
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal

from ._model import variables_of
from .abstract import law

_EVAL = (
    "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
    "#flax.nnx.eval_shape"
)
_MESH = """\
def nnx_mesh_of_one():
    devices = np.array(jax.devices()[:1]).reshape(1, 1)
    return jax.sharding.Mesh(devices, ('rows', 'columns'))
"""
_EVALUATED = "run_within(jax.set_mesh(nnx_mesh_of_one()), lambda: nnx.eval_shape(make$mode))"
_WAYS: Sequence[Kind] = tuple(
    way(
        f"eval-shape{name}",
        _EVALUATED.replace("$mode", option),
        WITHIN,
        _MESH,
        needs=(GRAPH_OPTIONS,) if option else (),
    )
    for name, option in (
        ("", ""),
        ("-tree", ", graph=False"),
        ("-no-updates", ", graph_updates=False"),
    )
)
_NAMES = (("rows",), (None,), ("rows", None), (None, "columns"), ("columns", "rows"))
_VALUES = (
    *("jnp.ones((2, 4))", "jnp.int32(1)", "{'a': jnp.ones(2)}", "[jnp.ones(2), jnp.zeros(())]"),
    *("(jnp.ones(2), None)", "None", "{}", "{'b': {'a': jnp.ones((2, 2), jnp.bfloat16)}}"),
)
_TYPES = ("nnx.Param", "nnx.BatchStat", "nnx.Variable")


@st.composite
def _made(draw: st.DrawFn, *, trees: bool) -> Recipe:
    """Draw `make`, which makes a module of Variables, and `run`, its `eval_shape` in a mesh.

    `names` are those of the axes of each Variable by path.

    Args:
        trees: let the Variables hold trees and have no names.
    """
    scope = Scope()
    scope.define(STACKED)
    paths = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True))
    held, names = [], dict[tuple[str], tuple[str | None, ...]]()
    for path in paths:
        value = draw(st.sampled_from(_VALUES)) if trees else "jnp.ones((2, 4))"
        given = () if trees else draw(st.sampled_from(_NAMES))
        options = f", out_sharding={given!r}" if given else ""
        scope.note("value:array" if value.startswith("j") else "value:tree")
        held.append(f"{path}={draw(st.sampled_from(_TYPES))}({value}{options})")
        names[(path,)] = given
    scope.bind("make", f"lambda: NnxStacked({', '.join(held)})")
    scope.bind("names", repr(names))
    bind_way(draw, scope, _WAYS, "make", forms=PLAIN)
    return scope.recipe()


@law(
    "`eval_shape` within a mesh gives each Variable of an array the sharding that its names say",
    source=_EVAL,
    needs={"eval_shape", "eval_shape_adds_shardings"},
    case=_made(trees=False),
)
def abstract_variables_are_sharded(lib, case):
    for path, variable in variables_of(case.run(case.make)):
        sharding = nnx_api.raw_value(variable).sharding
        wanted = jax.sharding.PartitionSpec(*case.names[path])
        equal(sharding and sharding.spec, wanted)


@law(
    "`eval_shape` within a mesh gives the shapes that it gives outside, whatever Variables hold",
    source=_EVAL,
    level="should",
    needs={"eval_shape", "eval_shape_adds_shardings"},
    case=_made(trees=True),
)
def a_mesh_changes_no_shape(lib, case):
    wanted = [nnx_api.raw_value(one) for _, one in variables_of(lib.eval_shape(case.make))]
    found = [nnx_api.raw_value(one) for _, one in variables_of(case.run(case.make))]
    shapes = lambda tree: jtu.tree_map(lambda leaf: (leaf.shape, leaf.dtype), tree)
    equal(shapes(found), shapes(wanted))
