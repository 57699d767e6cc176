"""Flax NNX: the metadata of Variables that names their axes, and where their values are placed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import jax.numpy as jnp
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, Scope
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way
from treelaws.equality import equal, refuses, same

from .metadata import law

_RENAMED = "https://github.com/google/flax/pull/5215"
_FLIP = "https://flax.readthedocs.io/en/latest/flip/4844-var-eager-sharding.html"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/flax_gspmd.html"
_REMAPS = {"former_names_warn", "Variable.get_value"}
_NEEDS = {"out_sharding", "Variable.get_value", "logical_axis_rules"}
_OLD = ("sharding_names", "sharding")
_SHARDED = "class NnxSharded(nnx.Param):\n    pass\n"
# Functions of an array `x` and of `labels`, the names of its axes under some name.
_MADE = (
    way("argument", "nnx.Param(x, eager_sharding=False, **labels)"),
    way("own-type", "NnxSharded(x, eager_sharding=False, **labels)", _SHARDED),
    way("initializer", "nnx.Param(nnx.with_metadata(lambda: x, **labels)(), eager_sharding=False)"),
    way("metadata", "nnx.Cache(nnx.VariableMetadata(x, metadata=labels), eager_sharding=False)"),
)
_HELD = "nnx_changed(nnx.Param(x, eager_sharding=False, note='text'), lambda held: {})"
_CHANGED = """\
def nnx_changed(held, change):
    change(held)
    return held
"""
_SET = (
    way("set", _HELD.format("held.set_metadata(**labels)"), _CHANGED),
    way("set-one", _HELD.format("held.set_metadata(*[*labels.items()][0])"), _CHANGED),
    way("set-all", _HELD.format("held.set_metadata({**labels, 'more': 1})"), _CHANGED),
    way("set-in", _HELD.format("nnx.set_metadata([held], **labels)"), _CHANGED),
)
_AXES = ("('rows', 'columns')", "(None, 'rows')", "('rows',)", "()", "None", "('rows', None)")
_SPECS = ("jax.sharding.PartitionSpec('rows', 'columns')", "jax.sharding.PartitionSpec(None)")
_ARRAYS = ("jnp.ones((2, 3))", "jnp.arange(4).reshape(2, 2)", "jnp.array([[1.5]])")
_RULES = ((("rows", "x"), ("columns", "y")), (("columns", "x"),), (("rows", None),), ())
_NAMED = (("rows", "columns"), ("columns", "rows"), ("rows",), (None, "columns"))
_MESH = "jax.make_mesh((1, 1), {}, axis_types=(jax.sharding.AxisType.{},) * 2)"
# Functions that make a Variable of `x` with `axes`, some rules for their names, and a mesh.
_PLACED = (
    way("metadata", "nnx.Param(x, out_sharding=axes, mesh=mesh, sharding_rules=rules)"),
    way(
        "initializer",
        "nnx.Param(nnx.with_metadata(lambda: x, out_sharding=axes, sharding_rules=rules)(), "
        "mesh=mesh)",
    ),
    way(
        "partitioning",
        "nnx_within(jax.set_mesh(mesh), lambda: nnx.Param(nnx.with_partitioning("
        "lambda: x, axes, sharding_rules=rules)()))",
    ),
    way(
        "context",
        "nnx_within(jax.set_mesh(mesh), lambda: nnx.Param(x, out_sharding=axes, "
        "sharding_rules=rules))",
    ),
    way(
        "rules",
        "nnx_within(nnx.logical_axis_rules(rules), lambda: nnx.Param(x, mesh=mesh, "
        "out_sharding=axes))",
    ),
    way(
        "setting",
        "nnx_within(nnx.use_eager_sharding(True), lambda: nnx.Param(x, mesh=mesh, "
        "out_sharding=axes, sharding_rules=rules))",
    ),
    way(
        "over-setting",
        "nnx_within(nnx.use_eager_sharding(False), lambda: nnx.Param(x, mesh=mesh, "
        "out_sharding=axes, sharding_rules=rules, eager_sharding=True))",
    ),
)
_UNPLACED = (
    way("argument", "nnx.Param(x, out_sharding=axes, eager_sharding=False)"),
    way(
        "setting",
        "nnx_within(nnx.use_eager_sharding(False), lambda: nnx.Param(x, out_sharding=axes))",
    ),
    way(
        "metadata",
        "nnx.Param(nnx.VariableMetadata(x, metadata={'eager_sharding': False, "
        "'out_sharding': axes}))",
    ),
    way(
        "initializer",
        "nnx.Param(nnx.with_metadata(lambda: x, out_sharding=axes, eager_sharding=False)())",
    ),
)
_WITHIN = """\
def nnx_within(context, make):
    with context:
        return make()
"""


@st.composite
def _named(draw: st.DrawFn) -> Recipe:
    """Draw `run`, a way to give an array `x` the names `axes` of its axes under `name`."""
    scope = Scope()
    scope.bind("x", draw(st.sampled_from(_ARRAYS)))
    scope.bind("axes", draw(st.sampled_from((*_AXES, *_SPECS))))
    scope.bind("name", repr(draw(st.sampled_from(("out_sharding", *_OLD)))))
    bind_way(draw, scope, (*_MADE, *_SET), "x, labels", forms=PLAIN)
    return scope.recipe()


@st.composite
def _placed(draw: st.DrawFn, ways: Sequence[Kind] = _PLACED) -> Recipe:
    """Draw `run`, which makes a Variable of `x` with `axes`, `rules` and a `mesh`.

    `spec` has the axes of the mesh, which has the names that no rule is about itself.
    """
    scope = Scope()
    scope.define(_WITHIN)
    rules: dict[str | None, str | None] = dict(draw(st.sampled_from(_RULES)))
    axes = draw(st.sampled_from(_NAMED))
    names = [rules.get(name, name) for name in ("rows", "columns")]
    scope.bind("rules", repr(tuple(rules.items())))
    scope.bind("axes", draw(st.sampled_from((repr(axes), f"jax.sharding.PartitionSpec(*{axes})"))))
    scope.bind("spec", f"jax.sharding.PartitionSpec(*{[rules.get(name, name) for name in axes]})")
    kind = draw(st.sampled_from(("Auto", "Explicit")))
    mesh = tuple([name for name in names if name] + ["z"])[:2]
    scope.bind("mesh", _MESH.format(mesh, kind))
    library = draw(st.sampled_from(("jnp", "np")))
    scope.note(f"mesh:{kind}", f"array:{library}")
    scope.bind("x", draw(st.sampled_from(_ARRAYS)).replace("jnp", library))
    bind_way(draw, scope, ways, "x, axes, rules, mesh", forms=PLAIN)
    return scope.recipe()


@law(
    "names of axes given as `out_sharding`, or under the former names `sharding_names` and "
    "`sharding`, are the metadata `out_sharding` and nothing else",
    source=_RENAMED,
    level="should",
    needs=_REMAPS,
    case=_named(),
)
def names_of_axes_have_one_name(lib, case):
    labels = {case.name: case.axes}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        variable = case.run(case.x, labels)
        equal(variable.sharding_names, case.axes)
    equal(variable.get_metadata("out_sharding"), case.axes)
    equal(set(variable.get_metadata()) & {"sharding", "sharding_names"}, set())
    equal(labels, {case.name: case.axes})


@law(
    "a former name of `out_sharding` warns with DeprecationWarning, and the name itself does not",
    source=_RENAMED,
    level="should",
    needs=_REMAPS,
    case=_named(),
)
def former_names_of_axes_warn(lib, case):
    variable = case.run(case.x, {"out_sharding": case.axes})
    equal(_warned(lambda: case.run(case.x, {case.name: case.axes})), case.name in _OLD)
    equal(_warned(lambda: variable.sharding_names), True)


@law(
    "a Variable with `out_sharding` is made with its value on the mesh of the context or of its "
    "metadata, along the axes that the rules give for the names",
    source=_GUIDE,
    level="should",
    needs=_NEEDS,
    case=_placed(),
)
def values_are_placed_on_the_mesh(lib, case):
    """FLIP 4844 promises it for automatic axes; pull request 5070 added the explicit ones."""
    variable = case.run(case.x, case.axes, case.rules, case.mesh)
    found = variable.get_raw_value()
    equal((*found.sharding.spec, None)[:2], (*case.spec, None)[:2])
    equal(found.sharding.mesh, case.mesh)
    same(found, jnp.asarray(case.x))
    equal(tuple(variable.get_metadata("out_sharding")), tuple(case.axes))


@law(
    "a Variable with `out_sharding` needs a mesh, unless eager sharding is off; its value then is "
    "where it was",
    source=_FLIP,
    needs=_NEEDS,
    case=_placed(_UNPLACED),
)
def eager_sharding_needs_a_mesh(lib, case):
    variable = case.run(case.x, case.axes, case.rules, case.mesh)
    same(variable.get_raw_value(), case.x)
    equal(getattr(variable.get_raw_value(), "sharding", None), getattr(case.x, "sharding", None))
    # The document names no type of the error.
    refuses(Exception, lambda: lib.Param(case.x, out_sharding=case.axes))


def _warned(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return any(one.category is DeprecationWarning for one in found)
