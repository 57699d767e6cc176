"""Flax NNX: boxes that hold Variables within Linen."""

from __future__ import annotations

import jax

from hypothesis_pytrees.flax.bridge.boxes import nnx_boxes, partitioned_boxes, stored_variables
from treelaws.compat import nnx as nnx_api
from treelaws.equality import equal, same

from ._bridged import flattened, linen_variables
from .bridge import law
from .bridge_to_linen import init_gives_the_variables_of_the_module

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/bridge_guide.html"
_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/bridge"


@law(
    "`to_nnx_variable` of a box gives a Variable of its type, with its value and metadata",
    source=f"{_GUIDE}#id4",
    level="should",
    needs={"bridge"},
    case=nnx_boxes(),
)
def boxes_make_their_variables(lib, case):
    variable, plain = case.box.to_nnx_variable(), case.kind(case.value)
    equal(type(variable), case.kind)
    same(nnx_api.raw_value(variable), case.value, identical=True)
    given, own = variable.get_metadata(), plain.get_metadata()
    equal({name: given[name] for name in given if name not in own}, case.metadata)


@law(
    "`get_partition_spec` of a box gives the names in its `out_sharding`, replaced as its "
    "`sharding_rules` say",
    # "`nn.get_partition_spec` now works on `NNXMeta` wrappers".
    source="https://github.com/google/flax/pull/4194",
    level="should",
    needs={"eight_devices", "bridge", "out_sharding", "explicit_axes"},
    case=partitioned_boxes(),
)
def boxes_name_the_axes_of_the_mesh(lib, case):
    with jax.set_mesh(case.mesh):
        spec = case.make().get_partition_spec()
    equal(spec, jax.sharding.PartitionSpec(*case.names))


@law(
    "`ToLinen` and `to_linen` store what `metadata_fn` returns for each Variable, and its value if "
    "that is `None`",
    source=f"{_CODE}/wrappers.py#L396-L431",
    level="observed",
    needs={"bridge", "converted_modules_have_no_graphdef"},
    case=stored_variables(),
    parents=[init_gives_the_variables_of_the_module],
)
def variables_are_stored_by_a_function(lib, case):
    wanted = flattened(linen_variables(lib, case.make()))
    mark = lambda variable: ("marked", nnx_api.raw_value(variable))
    stored = lambda function: case.convert(metadata_fn=function).init(jax.random.key(0), case.x)
    same(flattened(stored(None)), wanted)
    same(flattened(stored(mark)), {path: ("marked", value) for path, value in wanted.items()})
