"""Two unrelated stateful models, and values that do not match a state."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.prior_operations import PRIOR_OPERATIONS, apply
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import arrays

from .states import INDICES_OF, write_make
from .states_layers import LAYERS_WITH_STATE
from .states_values import AS_ARRAYS, mismatches

_NAMESAKE = """\
def namesake_of_adding_state():
    class AddingState(eqx.Module):
        index: eqx.nn.StateIndex
        tag: str

        def __init__(self, value):
            self.index = eqx.nn.StateIndex(value)
            self.tag = 'another class'

    return AddingState
"""


def _kind(name: str) -> Kind:
    return next(kind for kind in LAYERS_WITH_STATE if f"stateful:{name}" in kind.features)


def _texts(name: str) -> tuple[str, ...]:
    return _kind(name).definitions


# The name of the root's class, then the model.
_ROOTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("AddingState", "AddingState($0)", _texts("plain")),
    ("StateFromOutside", "StateFromOutside(eqx.nn.StateIndex($0))", _texts("given")),
    ("TwoStates", "TwoStates($0, $0)", _texts("two")),
    ("StateByConverter", "StateByConverter($0)", _texts("converter")),
    ("StateIndex", "eqx.nn.StateIndex($0)", ()),
    ("dict", "{'index': eqx.nn.StateIndex($0)}", ()),
    ("list", "[AddingState($0)]", _texts("plain")),
    ("list", "[StateFromOutside(eqx.nn.StateIndex($0))]", _texts("given")),
    ("AddingState", "namesake_of_adding_state()($0)", (_NAMESAKE,)),
)


@st.composite
def strangers(draw: st.DrawFn, *, namesakes: bool = True) -> Recipe:
    """Draw two models of unlike classes: bind `state`, that of the second.

    Binds `model`, `stranger` and `index` too, which are of the first, and `value`, which both were
    made with. Features: `strangers:one-name` where the
    classes of the two have one name.

    Args:
        namesakes: let the classes of the two have one name, as two lists have; default `True`.
    """
    scope = Scope()
    scope.define(INDICES_OF, AS_ARRAYS)
    value = scope.bind("value", draw(arrays()))
    first = draw(st.sampled_from(_ROOTS))
    others = [root for root in _ROOTS if root is not first and (namesakes or root[0] != first[0])]
    second = draw(st.sampled_from(others))
    for name, root in (("one", first), ("other", second)):
        _, template, definitions = root
        scope.define(*definitions)
        scope.statement(f"{name} = lambda: {template.replace('$0', value)}")
    scope.statement("model, stranger = eqx.nn.make_with_state(one)()")
    scope.statement("_, state = eqx.nn.make_with_state(other)()")
    scope.statement("index = indices_of(model)[0]")
    if first[0] == second[0]:
        scope.note("strangers:one-name")
    return scope.recipe()


@st.composite
def misfits(draw: st.DrawFn) -> Recipe:
    """Draw a state and a value that does not fit: bind `index`, `state`, `value` and `misfit`.

    `make` makes the model, and `make_misfit` the same model with the misfit as its value; `put`
    tries to get the misfit into the state.

    Features: `mismatch:structure`, `mismatch:shape`, `mismatch:dtype`; `way-in:set`,
    `way-in:update`, `way-in:substate`.
    """
    scope = Scope()
    scope.define(INDICES_OF, AS_ARRAYS)
    value, misfit = draw(mismatches())
    kind = draw(st.sampled_from([_kind(name) for name in ("bare", "plain", "given", "listed")]))
    scope.define(*kind.definitions)
    scope.note(kind.name, *kind.features)
    scope.bind("value", value)
    scope.bind("misfit", misfit)
    for name, held in (("make", "value"), ("make_misfit", "misfit")):
        write_make(scope, Recipe((), (), kind.text([held] * kind.arity)), name)
    scope.statement("model, state = eqx.nn.make_with_state(make)()")
    apply(draw, scope, "model", PRIOR_OPERATIONS)
    scope.statement("index = indices_of(model)[-1]")
    way = draw(st.sampled_from(tuple(_WAYS_IN)))
    scope.note(f"way-in:{way}")
    scope.statement(f"put = {_WAYS_IN[way]}")
    return scope.recipe()


_WAYS_IN = {
    "set": "lambda: state.set(index, misfit)",
    "substate": "lambda: state.substate(model).set(index, misfit)",
    "update": "lambda: state.update(eqx.nn.make_with_state(make_misfit)()[1])",
}
_NO_INDICES = (
    "None",
    "'index'",
    "0",
    "model",
    "[index]",
    "index.marker",
    "eqx.nn.StateIndex",
    "jax.device_put(np.float32(1))",
)


@st.composite
def no_indices(draw: st.DrawFn) -> Recipe:
    """Draw an object that is not an index or state: bind `state`, `index`, `value` and `item`."""
    scope = Scope()
    scope.define(INDICES_OF, *_texts("plain"))
    scope.bind("value", draw(arrays()))
    scope.statement("model, state = eqx.nn.make_with_state(AddingState)(value)")
    scope.statement("index = indices_of(model)[0]")
    scope.bind("item", draw(st.sampled_from(_NO_INDICES)))
    return scope.recipe()
