"""Flax NNX: the specs and shardings of Variables that name their axes."""

from __future__ import annotations

import jax
import numpy as np
from hypothesis import strategies as st
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from hypothesis_pytrees import cases
from hypothesis_pytrees.leaves.leaves import REAL_ARRAYS, pool
from hypothesis_pytrees.nnx.axis_names import named_axes
from hypothesis_pytrees.nnx.states import nnx_states
from hypothesis_pytrees.nnx.variables import variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._model import variables_of

law = Topic("nnx.partitioning", "Flax NNX: partitioning", family="nnx")
_SPMD = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/spmd.html#flax.nnx"
_ARRAYS = pool(tuple(REAL_ARRAYS))
_NEEDS = {"StateAxes", "out_sharding", "logical_axis_rules"}


@law(
    "`get_partition_spec` returns for each Variable of a State the spec with the names of its axes",
    source=f"{_SPMD}.get_partition_spec",
    needs=_NEEDS,
    case=named_axes(),
)
def partition_specs_have_the_names(lib, case):
    equal(_values(lib.get_partition_spec(lib.state(case.module))), _specs(case))


@law(
    "`get_partition_spec` returns the empty spec for an array, and for a Variable that holds an "
    "array, without names",
    source=f"{_SPMD}.get_partition_spec",
    level="should",
    needs={"StateAxes", "get_partition_spec"},
    case=cases(state=nnx_states(st.one_of(variables(_ARRAYS), _ARRAYS))),
)
def specs_without_names_are_empty(lib, case):
    found = nnx_api.flat(lib, lib.get_partition_spec(case.state))
    raw = lambda one: nnx_api.raw_value(one) if isinstance(one, lib.Variable) else one
    held = {path: raw(one) for path, one in nnx_api.flat(lib, case.state).items()}
    arrays = {path for path, value in held.items() if isinstance(value, jax.Array)}
    equal({path: raw(found[path]) for path in arrays}, dict.fromkeys(arrays, PartitionSpec()))


@law(
    "within `logical_axis_rules`, the specs have for each name the mesh axis that the rules give",
    source="https://github.com/google/flax/blob/v0.12.8/flax/nnx/spmd.py",
    level="should",
    needs=_NEEDS,
    case=named_axes(),
    parents=[partition_specs_have_the_names],
)
def rules_rename_the_axes(lib, case):
    with lib.logical_axis_rules(case.rules):
        inside = lib.get_partition_spec(lib.state(case.module))
    outside = lib.get_partition_spec(lib.state(case.module))
    equal(_ruled(case, _values(inside)), _ruled(case, _specs(case, dict(case.rules))))
    equal(_values(outside), _specs(case))


@law(
    "`get_named_sharding` returns for each Variable of a State its spec on the mesh",
    source=f"{_SPMD}.get_named_sharding",
    level="should",
    needs=_NEEDS,
    case=named_axes(),
    parents=[partition_specs_have_the_names],
)
def named_shardings_are_on_the_mesh(lib, case):
    found = lib.get_named_sharding(lib.state(case.module), _mesh())
    wanted = {path: NamedSharding(_mesh(), spec) for path, spec in _specs(case).items()}
    equal(_values(found), wanted)


@law(
    "a Variable made of the value of an initializer `with_partitioning` has the value, the names "
    "and the metadata",
    source=f"{_SPMD}.with_partitioning",
    needs={*_NEEDS, "with_partitioning"},
    case=named_axes(),
)
def partitioned_initializers_name_the_axes(lib, case):
    for path, variable in variables_of(case.module):
        more = {"eager_sharding": False, "note": "text", "mesh": _mesh()}
        names, value = case.stacked_names[path], nnx_api.value(variable)
        made = lib.Param(lib.with_partitioning(lambda given: given, names, **more)(value))
        same(nnx_api.value(made), value)
        metadata = nnx_api.metadata(made)
        held = tuple(metadata[key] for key in ("out_sharding", "note", "mesh"))
        equal(held, (names, "text", more["mesh"]))


def _mesh():
    return Mesh(np.array(jax.devices()[:1]).reshape(1, 1, 1), ("stack", "rows", "columns"))


def _values(state):
    return {path: nnx_api.raw_value(variable) for path, variable in variables_of(state)}


def _ruled(case, specs):
    """Return the entries of each spec for names that have a rule."""
    rules, found = dict(case.rules), {}
    for path, names in case.stacked_names.items():
        # A spec may end before the last axes, which then are not sharded.
        axes = dict(enumerate(specs[path]))
        found[path] = [axes.get(place) for place, name in enumerate(names) if name in rules]
    return found


def _specs(case, rules=None):
    """Return the spec of each Variable by path, with axes renamed by rules."""
    rules = rules or {}
    return {
        path: PartitionSpec(*(rules.get(name, name) for name in names))
        for path, names in case.stacked_names.items()
    }
