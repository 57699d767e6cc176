"""Flax NNX: `eval_shape`, which makes modules that hold shapes in the place of arrays."""

from __future__ import annotations

import jax
import jax.extend
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, pool
from hypothesis_pytrees.nnx.module_programs import FIXED, FREE, module_programs
from hypothesis_pytrees.nnx.modules import nnx_modules
from hypothesis_pytrees.nnx.variables import variables
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._inputs import without_sharing
from ._model import same_graph

law = Topic("nnx.abstract", "Flax NNX: abstract modules", family="nnx")
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/transforms.html"
_EVAL = f"{_API}#flax.nnx.eval_shape"
_SURGERY = "https://flax.readthedocs.io/en/latest/guides/surgery.html"
_CASES = cases(module=nnx_modules(variables(pool(tuple(JAX_ARRAYS)))))


@law(
    "`eval_shape` of a function that makes a module returns the module with the shape and dtype of "
    "each array in its place",
    source=_EVAL,
    needs={"eval_shape"},
    case=_CASES,
)
def a_module_is_made_of_shapes(lib, case):
    made = lib.eval_shape(lambda: case.rebuild().module)
    equal(lib.graphdef(made), lib.graphdef(case.module))
    equal(_abstract(lib, made), _shapes(lib, case.module))


@law(
    "`eval_shape` of the identity returns a module with the shapes of the given one, which stays "
    "as it is",
    source=_EVAL,
    needs={"eval_shape"},
    case=_CASES,
)
def the_shapes_of_a_module_are_returned(lib, case):
    abstract = lib.eval_shape(lambda module: module, case.module)
    equal(lib.graphdef(abstract), lib.graphdef(case.module))
    equal(_abstract(lib, abstract), _shapes(lib, case.module))
    same_graph(case.module, case.rebuild().module)


@law(
    "an abstract module that gets the state of a module by `update` is equal to the module",
    source=_SURGERY,
    needs={"eval_shape"},
    case=_CASES,
    parents=[a_module_is_made_of_shapes],
)
def an_abstract_module_takes_a_state(lib, case):
    made = lib.eval_shape(lambda: case.rebuild().module)
    equal(_abstract(lib, made), _shapes(lib, case.module))
    lib.update(made, lib.state(case.module))
    same_graph(made, case.module)


@law(
    "`eval_shape` of a program gives the shapes and dtypes of its result",
    source=_EVAL,
    needs={"eval_shape"},
    case=module_programs(steps=FREE[:4]),
)
def the_shapes_of_a_result_are_given(lib, case):
    other, shape = case.rebuild(), jax.ShapeDtypeStruct(case.x.shape, case.x.dtype)
    wanted = other.program(other.module, other.x)
    found = lib.eval_shape(case.program, case.module, case.x)
    made_inside = lambda x: case.program(case.rebuild().module, x)
    for one in (found, lib.eval_shape(made_inside, shape)):
        equal({type(leaf) for leaf in jtu.tree_leaves(one)} - {jax.ShapeDtypeStruct}, set())
        equal(jtu.tree_map(_shape, one), jtu.tree_map(_shape, wanted))


@law(
    "`eval_shape` of a program that writes into its module changes nothing in the module",
    source=_EVAL,
    level="should",
    needs={"eval_shape"},
    case=module_programs(steps=FIXED, nodes=True),
    parents=[the_shapes_of_a_result_are_given],
)
def abstract_evaluation_changes_no_module(lib, case):
    """The documentation compares it to `jax.eval_shape`, which computes nothing."""
    lib.eval_shape(case.program, case.module, case.x)
    lib.eval_shape(lambda module: case.program(module, case.x), case.module)
    same_graph(case.module, case.rebuild().module)


@law(
    "`make_jaxpr` of a program on a module gives a jaxpr that computes its result from the arrays "
    "of the module",
    source=f"{_API}#flax.nnx.make_jaxpr",
    needs={"make_jaxpr"},
    case=module_programs(steps=FREE[:4], alias=False).filter(without_sharing),
)
def a_jaxpr_computes_the_result(lib, case):
    other = case.rebuild()
    leaves = jtu.tree_leaves((case.module, case.x))
    program = lambda held, x, text: case.program(held, x)
    maker = lib.make_jaxpr(program, graph=False, graph_updates=False, static_argnums=2)
    jaxpr = maker(case.module, case.x, "static")
    wanted = jtu.tree_leaves(other.program(other.module, other.x))
    found = jax.jit(jax.extend.core.jaxpr_as_fun(jaxpr))(*leaves)
    same(_strong(found), _strong(wanted))


@law(
    "`make_jaxpr` of a program that writes into its module changes nothing in the module",
    source="https://github.com/google/flax/blob/v0.12.8/tests/nnx/transforms_test.py",
    level="should",
    needs={"make_jaxpr"},
    case=module_programs(steps=FREE[:4], alias=False).filter(without_sharing),
    parents=[a_jaxpr_computes_the_result],
)
def making_a_jaxpr_changes_no_module(lib, case):
    lib.make_jaxpr(case.program, graph=False, graph_updates=False)(case.module, case.x)
    same_graph(case.module, case.rebuild().module)


def _strong(leaves):
    """Return arrays without weak types, of which nothing is promised."""
    return [jax.lax.convert_element_type(leaf, leaf.dtype) for leaf in leaves]


def _shape(leaf):
    return leaf.shape, str(leaf.dtype)


def _shapes(lib, module):
    """Return the shapes in a module, in which numbers stand for arrays."""
    return [_shape(jnp.asarray(leaf)) for leaf in jtu.tree_leaves(lib.state(module))]


def _abstract(lib, module):
    """Return the shapes in an abstract module, and what stands in it in place of a shape."""
    leaves, kind = jtu.tree_leaves(lib.state(module)), jax.ShapeDtypeStruct
    return [_shape(leaf) if isinstance(leaf, kind) else type(leaf) for leaf in leaves]
