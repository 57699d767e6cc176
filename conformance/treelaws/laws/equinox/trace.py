"""Equinox: `filter_eval_shape` and `filter_make_jaxpr`, which trace but do not run."""

from __future__ import annotations

import jax
import jax.extend
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.trees.structures import structure_pairs, structures
from treelaws.core.law import Topic
from treelaws.equality import equal, same

from ._functions import arrays_of, paired, structs
from ._keywords import keywords

law = Topic("equinox.trace", "Equinox: tracing, callbacks and custom derivatives", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/transformations/#equinox."


@law(
    "`filter_eval_shape(f, tree)` returns `f(tree)` with a `ShapeDtypeStruct` in place of each"
    " array",
    source=f"{_DOCS}filter_eval_shape",
    needs={"filter_eval_shape"},
    case=cases(tree=structures()),
)
def eval_shape_is_the_shape_of_the_result(lib, case):
    same(lib.filter_eval_shape(paired, case.tree), structs(paired(case.tree)))


_PAIR = """\
class HoldingPair(eqx.Module):
    one: typing.Any
    other: typing.Any
"""
_KEY = "{'key': jax.random.key(0)}"
_ARRAY = "jax.device_put(np.float32([1.0, 2.0]))"
# Classes, and what instances are made of.
_CLASSES = (
    ("eqx.nn.Linear", "(2, 3)", _KEY),
    ("eqx.nn.Embedding", "(4, 2)", _KEY),
    ("eqx.nn.LayerNorm", "(3,)", "{}"),
    ("eqx.nn.Dropout", "(0.5,)", "{}"),
    ("HoldingPair", f"({_ARRAY}, 'text')", "{}"),
    ("HoldingPair", f"([{_ARRAY}, 3],)", "{'other': jnp.tanh}"),
    ("eqx.Partial", f"(jnp.add, {_ARRAY})", "{}"),
    ("collections.OrderedDict", f"([('b', {_ARRAY}), ('a', 1)],)", "{}"),
)


@st.composite
def _classes(draw: st.DrawFn) -> Recipe:
    """Bind `make`, a class, and `args` and `named`, of which it makes an instance."""
    scope = Scope()
    scope.define(_PAIR)
    for name, text in zip(("make", "args", "named"), draw(st.sampled_from(_CLASSES)), strict=True):
        scope.bind(name, text)
    return scope.recipe()


@law(
    "`filter_eval_shape` of a class and its arguments returns an instance with a "
    "`ShapeDtypeStruct` in place of each array",
    source=f"{_DOCS}filter_eval_shape",
    needs={"filter_eval_shape", "Partial"},
    case=_classes(),
    parents=(eval_shape_is_the_shape_of_the_result,),
)
def eval_shape_of_a_class_is_an_instance(lib, case):
    got = lib.filter_eval_shape(case.make, *case.args, **case.named)
    same(got, structs(case.make(*case.args, **case.named)))


@law(
    "`filter_eval_shape` accepts a `ShapeDtypeStruct` in place of each array",
    source=f"{_DOCS}filter_eval_shape",
    needs={"filter_eval_shape"},
    case=cases(tree=structures()),
    level="should",
)
def eval_shape_takes_shapes(lib, case):
    got = lib.filter_eval_shape(paired, structs(case.tree))
    same(got, lib.filter_eval_shape(paired, case.tree))


@law(
    "a static leaf keeps its type and sign through `filter_eval_shape`, also after a call with an"
    " equal leaf",
    source=f"{_DOCS}filter_eval_shape",
    needs={"filter_eval_shape"},
    case=structure_pairs("type"),
    parents=(eval_shape_is_the_shape_of_the_result,),
)
def eval_shape_tells_equal_leaves_apart(lib, case):
    for tree in (case.tree, case.other):
        same(lib.filter_eval_shape(paired, tree), structs(paired(tree)))


@law(
    "the jaxpr of `filter_make_jaxpr(f)(tree)` computes the arrays of `f(tree)`",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures()),
)
def jaxpr_computes_the_function(lib, case):
    jaxpr = lib.filter_make_jaxpr(paired)(case.tree)[0]
    got = jax.extend.core.jaxpr_as_fun(jaxpr)(*arrays_of(case.tree))
    same(list(got), arrays_of(paired(case.tree)))


@law(
    "`filter_make_jaxpr` returns the shapes of the output arrays and, separately, the other output"
    " leaves",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures()),
)
def jaxpr_comes_with_shapes_and_the_rest(lib, case):
    wanted = structs(paired(case.tree))
    shapes, rest = lib.filter_make_jaxpr(paired)(case.tree)[1:]
    same(shapes, jtu.tree_map(lambda leaf: leaf if _is_struct(leaf) else None, wanted))
    same(rest, jtu.tree_map(lambda leaf: None if _is_struct(leaf) else leaf, wanted))


@law(
    "`filter_make_jaxpr` returns the same jaxpr for a `ShapeDtypeStruct` as for an array",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures()),
)
def jaxpr_of_shapes_is_the_jaxpr_of_arrays(lib, case):
    make = lib.filter_make_jaxpr(paired)
    equal(str(make(structs(case.tree))[0]), str(make(case.tree)[0]))


@law(
    "`filter_make_jaxpr` accepts keyword arguments of any name",
    source=f"{_DOCS}filter_make_jaxpr",
    needs={"filter_make_jaxpr"},
    case=cases(tree=structures(), keyword=keywords()),
)
def jaxpr_takes_keywords_of_any_name(lib, case):
    make = lib.filter_make_jaxpr(lambda tree, **options: (paired(tree), *options.values()))
    same(make(case.tree, **{case.keyword: 2.0})[1:], make(case.tree, option=2.0)[1:])


def _is_struct(leaf):
    return isinstance(leaf, jax.ShapeDtypeStruct)
