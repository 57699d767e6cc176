"""Flax NNX: `to_linen` makes a module of Linen from a class of NNX."""

from __future__ import annotations

from typing import Any

import jax
import jax.tree_util as jtu

from hypothesis_pytrees.flax.converted_uses import converted_streams, mapped_convertible
from hypothesis_pytrees.flax.convertible import KINDS, PLAIN, convertible
from treelaws.equality import equal, same

from ._bridged import flattened, linen_variables, updated
from ._near import near
from .bridge import law

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/bridge_guide.html"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/bridge.html"
_NEEDS = {"bridge", "converted_modules_have_no_graphdef"}


@law(
    "`init` of a converted module of NNX gives the raw values of its Variables, at the same paths, "
    "in the collections of their types",
    source=f"{_GUIDE}#id2",
    needs=_NEEDS,
    case=convertible(),
)
def init_gives_the_variables_of_the_module(lib, case):
    variables = _unboxed(lib, case.linen.init(jax.random.key(0), case.x))
    same(flattened(variables), flattened(linen_variables(lib, case.make())))


@law(
    "`apply` of a converted module of NNX with the variables of `init` returns what the module "
    "returns",
    source=f"{_API}#flax.nnx.bridge.ToLinen",
    needs=_NEEDS,
    case=convertible(),
)
def converted_nnx_modules_return_the_same(lib, case):
    variables = case.linen.init(jax.random.key(0), case.x)
    same(case.linen.apply(variables, case.x), case.make()(case.x))


@law(
    "`apply` with `mutable=True` of a converted module of NNX gives the Variables that calls of "
    "the module leave, if each call starts with those of the call before",
    source="https://github.com/google/flax/pull/4126",
    level="should",
    needs=_NEEDS,
    case=convertible(),
    parents=[init_gives_the_variables_of_the_module],
)
def applications_in_a_row_are_calls_in_a_row(lib, case):
    module, variables = case.make(), case.linen.init(jax.random.key(0), case.x)
    for _ in range(2):
        module(case.x)
        _, updates = case.linen.apply(variables, case.x, mutable=True)
        variables = updated(variables, updates)
    same(flattened(_unboxed(lib, variables)), flattened(linen_variables(lib, module)))


@law(
    "`init` puts a Variable with metadata into an `NNXMeta` with its type and metadata, and one "
    "without metadata into no box",
    source=f"{_GUIDE}#id4",
    needs=_NEEDS,
    case=convertible(
        values=("array", "number", "tuple"), metadata=PLAIN, kinds=["variable"], depth=0
    ),
)
def metadata_is_kept_in_boxes(lib, case):
    variables = case.linen.init(jax.random.key(0), case.x)
    for (collection, name), metadata in case.given.items():
        box = variables[collection][name]
        equal(isinstance(box, lib.bridge.NNXMeta), metadata != {})
        if metadata:
            equal(box.var_type, lib.variable_type_from_name(collection))
            equal({key: box.metadata.get(key) for key in metadata}, metadata)


@law(
    "`init` of a converted module of NNX gives the same tree within `jax.jit`",
    source=f"{_GUIDE}#id4",
    level="should",
    needs=_NEEDS,
    case=convertible(kinds=(*KINDS, "array")),
)
def init_gives_the_same_tree_within_jit(lib, case):
    wanted = case.linen.init(jax.random.key(0), case.x)
    jitted = jax.jit(case.linen.init)(jax.random.key(0), case.x)
    equal(jtu.tree_structure(jitted), jtu.tree_structure(wanted))


@law(
    "a module of NNX that is converted to Linen and back has the same Variables",
    source=f"{_API}#flax.nnx.bridge.ToNNX",
    level="should",
    needs=_NEEDS,
    case=convertible(),
    parents=[init_gives_the_variables_of_the_module],
)
def modules_come_back_from_linen(lib, case):
    model = lib.bridge.ToNNX(case.linen, rngs=lib.Rngs(0)).lazy_init(case.x)
    wanted = flattened(linen_variables(lib, case.make()))
    same(flattened(linen_variables(lib, model)), wanted)


@law(
    "`nn.vmap` of a converted module of NNX has variables for each row, with which it returns what "
    "`apply` of the converted module returns for the row",
    source=f"{_GUIDE}#id6",
    needs=_NEEDS,
    case=mapped_convertible(),
)
def converted_nnx_modules_are_mapped(lib, case):
    variables = case.mapped.init(jax.random.key(0), case.xs)
    results = case.mapped.apply(variables, case.xs)
    inner = {name: held["inner"] for name, held in variables.items()}
    for row in range(2):
        rows = lambda tree, row=row: jtu.tree_map(lambda leaf: leaf[row], tree)
        near(rows(results), case.linen.apply(rows(inner), case.xs[row]))


@law(
    "`init` of a converted module of NNX makes it with the streams that `rngs` names",
    source=f"{_GUIDE}#nnx-to-linen",
    needs=_NEEDS,
    case=converted_streams(),
)
def streams_are_those_of_rngs(lib, case):
    names, _ = case.linen.init_with_output(case.keys)
    equal(names, tuple(sorted(case.keys)))


def _unboxed(lib: Any, variables: Any) -> Any:
    """Return variables of Linen without the boxes of NNX."""
    is_box = lambda node: isinstance(node, lib.bridge.NNXMeta)
    unbox = lambda node: node.unbox() if is_box(node) else node
    return jtu.tree_map(unbox, variables, is_leaf=is_box)
