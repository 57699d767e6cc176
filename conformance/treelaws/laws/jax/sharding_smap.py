"""JAX: `smap` over one axis of a mesh, against NumPy."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, Kind, Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.nodes.nodes import NODES
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import same

from .sharding import law

# Each axis can be split into two or four.
_LEAVES = tuple(
    Kind("leaf", f"jax.device_put(np.arange({size}).reshape({shape}).astype(jnp.{name}))", (),
         (f"leaf:block-{name}",))
    for size, shape, name in ((32, (4, 8), "float32"), (64, (4, 4, 4), "int32"),
                              (16, (4, 4), "bfloat16"))
)  # fmt: skip
_AXES = (0, 1, -1)
_RESULTS = {
    "dict": ("{{'a': {}, 'b': {}}}"),
    "tuple": "({}, {})",
    "nested": "[{}, {{'b': ({},)}}]",
}
_FORMS = {"plain": "mapped", "jit": "jax.jit(mapped)", "nested-jit": "jax.jit(jax.jit(mapped))"}
_SIZES = ("(2,), ('rows',)", "(4,), ('rows',)", "(2, 4), ('rows', 'columns')",
          "(2, 4), ('columns', 'rows')")  # fmt: skip


@st.composite
def _mapped(draw: st.DrawFn) -> Recipe:
    """Bind `args`, two trees, `arrange`, which puts them into a tree, and `run`, a call of `smap`.

    `run` takes a function of both; `ins` are the axes of the arguments and `outs` those of what
    becomes of them, `sizes` the shape and the names of a mesh. Feature: `axes:negative`.
    """
    scope = Scope()
    options = {"leaves": pool(_LEAVES), "kinds": (*CONTAINERS, *NODES), "max_leaves": 3}
    names = [scope.bind(name, draw_tree(draw, scope, **options)) for name in ("first", "second")]
    scope.bind("args", f"([{_LEAVES[0].template}, {names[0]}], {names[1]})")
    ins = [draw(st.sampled_from(_AXES)), draw(st.sampled_from((None, *_AXES)))]
    # What is not split may be the same everywhere, or one copy after another.
    outs = [draw(st.sampled_from((None, *_AXES) if one is None else _AXES)) for one in ins]
    scope.note(*["axes:negative"] * any(one is not None and one < 0 for one in (*ins, *outs)))
    scope.bind("ins", repr(ins))
    scope.bind("outs", repr(outs))
    result = draw(st.sampled_from(tuple(_RESULTS)))
    scope.note(f"result:{result}")
    scope.bind("arrange", f"lambda one, other: {_RESULTS[result].format('one', 'other')}")
    scope.bind("sizes", f"({draw(st.sampled_from(_SIZES))})")
    alike = [len(set(axes)) == 1 and draw(st.booleans()) for axes in (ins, outs)]
    given = repr(ins[0] if alike[0] else tuple(ins))
    wanted = repr(outs[0]) if alike[1] else _RESULTS[result].format(*outs)
    form = draw(st.sampled_from(tuple(_FORMS)))
    scope.note(f"mapped:{form}")
    made = f"lib.smap(function, in_axes={given}, out_axes={wanted}, axis_name='rows')"
    text = _FORMS[form].replace("mapped", made)
    scope.bind("run", f"lambda lib, function: {text}(*args)")
    return scope.recipe()


@law(
    "`smap` calls a function of trees with the parts of each array along its axis in `in_axes`, "
    "and puts the parts of the results together along that in `out_axes`, over one axis of a mesh "
    "with `Auto` axes",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.smap.html",
    level="should",
    needs={"eight_devices", "smap", "set_mesh"},
    case=_mapped(),
)
def smap_maps_the_parts_along_an_axis(lib, case):
    flipped = lambda *args: case.arrange(*jtu.tree_map(lambda leaf: leaf[::-1], args))
    with lib.set_mesh(_mesh(lib, *case.sizes)):
        found = case.run(lib, flipped)
    count = case.sizes[0][case.sizes[1].index("rows")]
    each = zip(case.args, case.ins, case.outs, strict=True)
    joined = lambda start, end: lambda leaf: _joined(np.asarray(leaf), start, end, count)
    wanted = [jtu.tree_map(joined(start, end), tree) for tree, start, end in each]
    same(lib.device_get(found), case.arrange(*wanted))


def _joined(leaf, start, end, count):
    """Return the parts of an array along one axis, each flipped, put together along another."""
    parts = [leaf] * count if start is None else np.split(leaf, count, start)
    flipped = [part[::-1] for part in parts]
    return flipped[0] if end is None else np.concatenate(flipped, end)


def _mesh(lib, shape, names):
    """Return a mesh of the first devices, by whose axes the compiler may divide."""
    kinds = (lib.sharding.AxisType.Auto,) * len(shape)
    return lib.make_mesh(shape, names, axis_types=kinds, devices=lib.devices()[: np.prod(shape)])
