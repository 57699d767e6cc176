"""Flax NNX: which attributes are data and which are static, and removing attributes."""

from __future__ import annotations

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import NNX_MODULES, Recipe, Scope, nnx_modules
from hypothesis_pytrees.core.cases import cases
from hypothesis_pytrees.nnx.attributes import (
    attribute_rounds,
    data_values,
    hiding_values,
    static_values,
)
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true

law = Topic("nnx.attributes", "Flax NNX: attributes", family="nnx")
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/pytree.html"
_RULES = f"{_GUIDE}#nnx-pytree"
_UPDATES = f"{_GUIDE}#attribute-updates"
_PYTREES = tuple(kind for kind in NNX_MODULES if "nnx:object" not in kind.features)
_ANY = nnx_modules(roots=_PYTREES, max_leaves=3, history=True)
_DATA = cases(module=_ANY, value=data_values())
_STATIC = cases(module=_ANY, value=static_values())
_BOTH = cases(data=data_values(), static=static_values())
_RESIDUE = "https://github.com/google/flax/issues/5130"


# Functions from an array to a value, each with its feature.
_MAKERS = (
    ("lambda array: array", "array"),
    ("lambda array: array + 1", "array"),
    ("lambda array: nnx.Param(array)", "variable"),
    ("lambda array: nnx.Dict(x=nnx.Param(array))", "module"),
    ("lambda array: 'text'", "static"),
    ("lambda array: array.shape", "static"),
)


@st.composite
def _inside(draw: st.DrawFn) -> Recipe:
    """Draw `make`, a function that makes a value from an array."""
    scope = Scope()
    text, feature = draw(st.sampled_from(_MAKERS))
    scope.bind("make", text)
    scope.note(f"inside:{feature}")
    return scope.recipe()


@law(
    "adding an attribute and removing it again restores the GraphDef",
    source=_RESIDUE,
    level="should",
    needs={"graphdef"},
    case=attribute_rounds(),
)
def removing_what_was_added_restores_the_graphdef(lib, case):
    """It is added as a plain, marked or sown attribute, and removed by `del` or `nnx.pop`."""
    before = lib.graphdef(case.module)
    case.change()
    equal(lib.graphdef(case.module), before)


@law(
    "adding an attribute and removing it again restores the tree structure",
    source=_RESIDUE,
    level="should",
    needs={"modules_are_nodes"},
    case=attribute_rounds(),
)
def removing_what_was_added_restores_the_structure(lib, case):
    """Otherwise each call of a jitted function would trace again."""
    leaves, before = jtu.tree_flatten(case.module)
    case.change()
    same(case.module, jtu.tree_unflatten(before, leaves), identical=True)


@law(
    "adding an attribute and removing it again does not change the other attributes",
    source=_RESIDUE,
    level="should",
    needs={"graphdef"},
    case=attribute_rounds(),
)
def other_attributes_stay_untouched(lib, case):
    before = _held(case.node)
    case.change()
    after = _held(case.node)
    equal(list(after), list(before))
    moved = [name for name, value in before.items() if after[name] is not value]
    true(not moved, moved, "the same object in every attribute")


@law(
    "`is_data(value)` is True for arrays, Variables and NNX objects",
    source=_RULES,
    needs={"is_data"},
    case=_BOTH,
)
def arrays_variables_and_objects_are_data(lib, case):
    true(lib.is_data(case.data) is True, lib.is_data(case.data), f"True for {case.data}")


@law(
    "`is_data(value)` is False for all other values, also for lists and dicts of data",
    source=_RULES,
    needs={"is_data"},
    case=cases(value=st.one_of(static_values(), hiding_values())),
)
def other_values_are_static(lib, case):
    true(lib.is_data(case.value) is False, lib.is_data(case.value), f"False for {case.value}")


@law(
    "`is_data(value)` returns the same inside a transform as outside",
    source=_RULES,
    needs={"is_data"},
    case=_inside(),
)
def what_is_data_is_data_inside_a_transform(lib, case):
    answers = []
    note = lambda array: answers.append(lib.is_data(case.make(array)))
    jax.eval_shape(note, jax.ShapeDtypeStruct((2,), "float32"))
    wanted = lib.is_data(case.make(jax.numpy.zeros(2)))
    equal(answers, [wanted])


@law(
    "an attribute set inside a transform adds leaves if and only if its value is data outside",
    source=_RULES,
    needs={"is_data"},
    case=_inside(),
)
def data_set_inside_a_transform_is_a_leaf(lib, case):
    def traced(array):
        module, value = lib.Dict(), case.make(array)
        module.x = value
        wanted = jtu.tree_leaves(value) if lib.is_data(case.make(zeros)) else []
        same(jtu.tree_leaves(module), wanted, identical=True)

    zeros = jax.numpy.zeros(2)
    jax.eval_shape(traced, jax.ShapeDtypeStruct((2,), "float32"))


@law(
    "setting an attribute adds the leaves of its value if the value is data, and none otherwise",
    source=_RULES,
    needs={"is_data"},
    case=st.one_of(_DATA, _STATIC),
)
def data_attributes_are_the_leaves(lib, case):
    before = jtu.tree_leaves(case.module)
    case.module.zz_new = case.value
    added = jtu.tree_leaves(case.value) if lib.is_data(case.value) else []
    same(jtu.tree_leaves(case.module), [*before, *added], identical=True)


@law(
    "an attribute set to `data(value)` adds the leaves of the value; `static(value)` adds none",
    source=_RULES,
    needs={"data", "static"},
    case=_STATIC,
)
def marks_decide(lib, case):
    before = jtu.tree_leaves(case.module)
    case.module.zz_new = lib.data(case.value)
    same(case.module.zz_new, case.value, identical=True)
    wanted = [*before, *jtu.tree_leaves(case.value)]
    same(jtu.tree_leaves(case.module), wanted, identical=True)
    case.module.zz_new = lib.static(case.value)
    same(jtu.tree_leaves(case.module), before, identical=True)


@law(
    "an attribute that was set as data stays data after a static value is assigned",
    source=_UPDATES,
    needs={"is_data"},
    case=_BOTH,
)
def data_status_survives_reassignment(lib, case):
    module = lib.Dict(x=case.data)
    module.x = case.static
    same(jtu.tree_leaves(module), jtu.tree_leaves(case.static), identical=True)


def _held(node):
    """Return the attributes of a module by name, without those that Flax adds."""
    return {name: value for name, value in vars(node).items() if not str(name).startswith("_")}
