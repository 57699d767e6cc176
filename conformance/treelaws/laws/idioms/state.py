"""Idioms: StateIndex and State."""

from __future__ import annotations

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope, arrays
from hypothesis_pytrees.core.cases import cases
from treelaws.core.law import Topic
from treelaws.equality import differ, same
from treelaws.laws.equinox.state_model import model_leaves_are_the_users, one_index_is_one_state

from ._idiom import Idiom, Problem, Text

law = Topic("recipes.state", "Idioms: StateIndex and State", family="equinox")
_DOCS = "https://docs.kidger.site/equinox/api/nn/stateful/"
_CODE = "https://github.com/patrick-kidger/equinox/blob/v0.13.8/equinox/nn/_stateful.py"
_ISSUES = "https://github.com/patrick-kidger/equinox/issues"
_WAYS = {
    "init": """\
class RxInit(eqx.Module):
    index: eqx.nn.StateIndex
    size: int = 3

    def __init__(self, value):
        self.index = eqx.nn.StateIndex(value)
""",
    "post-init": """\
class RxPostInit(eqx.Module):
    value: dataclasses.InitVar[typing.Any]
    index: typing.Any = None

    def __post_init__(self, value):
        self.index = eqx.nn.StateIndex(value)
""",
    "argument": """\
class RxArgument(eqx.Module):
    index: eqx.nn.StateIndex


def make_rx_argument(value):
    return RxArgument(eqx.nn.StateIndex(value))
""",
    "nested": """\
class RxNested(eqx.Module):
    layers: list

    @property
    def index(self):
        return self.layers[1]

    def __init__(self, value):
        self.layers = [1.0, eqx.nn.StateIndex(value)]
""",
}
_MAKERS = {
    "init": "RxInit",
    "post-init": "RxPostInit",
    "argument": "make_rx_argument",
    "nested": "RxNested",
}


@st.composite
def _models(draw: st.DrawFn) -> Recipe:
    """Bind `make`, a class or function that makes a model, and `value`, its initial state."""
    scope = Scope()
    way = draw(st.sampled_from(tuple(_WAYS)))
    scope.note(f"made-in:{way}")
    scope.define(_WAYS[way])
    scope.bind("make", _MAKERS[way])
    scope.bind("value", draw(arrays()))
    return scope.recipe()


@law(
    "the leaves of `StateIndex(value)` are the leaves of `value`; the marker is not a leaf",
    source=f"{_CODE}#L33-L80",
    level="should",
    needs={"nn.StateIndex"},
    case=cases(value=arrays()),
)
def marker_is_no_leaf(lib, case):
    same(jtu.tree_leaves(lib.nn.StateIndex(case.value)), [case.value])


@law(
    "the marker is static: two indices have different structures, an index and its copy have the "
    "same",
    source=f"{_CODE}#L33-L80",
    level="should",
    needs={"nn.StateIndex"},
    case=cases(value=arrays()),
)
def marker_is_static(lib, case):
    index, other = lib.nn.StateIndex(case.value), lib.nn.StateIndex(case.value)
    differ(jtu.tree_structure(index), jtu.tree_structure(other), "the structures of two indices")
    same(jtu.tree_map(lambda leaf: leaf, index), index, identical=True)


@law(
    "`make_with_state` finds state that any step of the construction made",
    source=f"{_DOCS}#equinox.nn.make_with_state",
    needs={"nn.make_with_state"},
    case=_models(),
)
def state_may_be_made_anywhere_in_construction(lib, case):
    model, state = lib.nn.make_with_state(case.make)(case.value)
    same(state.get(model.index), case.value)


PROBLEM = Problem(
    "StateIndex and State",
    "Where is state made, where is it stored, and which part of it is dynamic? Articles say that"
    " the marker of an index is dynamic, and that state must be made in __post_init__.",
    tuple(f"{_ISSUES}/{number}" for number in (842, 843, 450, 1050, 1071, 592, 934)),
    (
        Idiom(
            "An index made in any step of the construction of the model",
            "holds",
            "Make a StateIndex for each state in __init__, in __post_init__ or in a function that"
            " calls the constructor, and make the model with eqx.nn.make_with_state.",
            (
                state_may_be_made_anywhere_in_construction,
                model_leaves_are_the_users,
            ),
            Text(
                "State made in __init__",
                """\
class StepCounter(eqx.Module):
    index: eqx.nn.StateIndex

    def __init__(self):
        self.index = eqx.nn.StateIndex(jnp.array(0))

    def __call__(self, state):
        return state.set(self.index, state.get(self.index) + 1)


model, state = eqx.nn.make_with_state(StepCounter)()
assert model(state).get(model.index) == 1
assert jtu.tree_leaves(model) == []
""",
            ),
        ),
        Idiom(
            "Training, mapping over or saving the marker",
            "fails",
            "The marker is static and tells indices apart. Only the initial state is dynamic, until"
            " make_with_state takes it out of the model; the State then holds the values.",
            (marker_is_no_leaf, marker_is_static),
            None,
            (
                Text(
                    "An index has one leaf, the initial state",
                    """\
index = eqx.nn.StateIndex(jnp.array(0))
assert len(jtu.tree_leaves(index)) == 2
""",
                    "AssertionError",
                ),
                Text(
                    "Two indices have different structures",
                    """\
one, other = eqx.nn.StateIndex(jnp.array(0)), eqx.nn.StateIndex(jnp.array(0))
assert jtu.tree_structure(one) == jtu.tree_structure(other)
""",
                    "AssertionError",
                ),
            ),
        ),
        Idiom(
            "One index at two places, to share its state",
            "fails",
            "The documentation makes an index the key of its state, but make_with_state gives"
            " each place its own key. Keep the index at one place and pass it to other layers.",
            (one_index_is_one_state,),
            None,
            (
                Text(
                    "One layer does not see the value that the other one sets, without an error",
                    """\
class IndexedLayer(eqx.Module):
    index: eqx.nn.StateIndex


class TwoLayers(eqx.Module):
    layers: list

    def __init__(self):
        index = eqx.nn.StateIndex(jnp.array(0))
        self.layers = [IndexedLayer(index), IndexedLayer(index)]


model, state = eqx.nn.make_with_state(TwoLayers)()
state = state.set(model.layers[0].index, jnp.array(5))
assert state.get(model.layers[1].index) == 5
""",
                    "AssertionError",
                ),
            ),
        ),
    ),
)
