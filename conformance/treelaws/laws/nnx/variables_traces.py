"""Flax NNX: Variables and the level of the trace in which they were made."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.compat import nnx as nnx_api
from treelaws.equality import refuses, same

from ._model import described, same_graph, same_rows
from .variables import law

_FIX = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py#L1318-L1330"
_GUIDE = "https://flax.readthedocs.io/en/latest/guides/transforms.html"
_NEEDS = {"Variable.del_metadata", "Variable.set_value"}
# Changes of a Variable `held`, whose value is an array of two numbers, beside `other`, its like.
_CHANGES = (
    *("held.set_value(other.get_value())", "held.set_raw_value(other.get_raw_value())"),
    *(
        "held.set_metadata(rank=2)",
        "held.set_metadata('rank', 2)",
        "held.set_metadata({'rank': 2})",
    ),
    *("held.del_metadata('tag')", "held.copy_from(other)", "held.update_from_state(other)"),
    *(
        "held.__setitem__(..., 0.0)",
        "held.__setitem__(0, 5.0)",
        "setattr(held, 'value', other[...])",
    ),
    *("setattr(held, 'raw_value', other[...])", "nnx.update(held, other)"),
    "nnx.set_metadata([held], rank=2)",
)
# Every release has this one.
_ASSIGNED = ("setattr(held, 'value', other[...])",)
_NO_CHANGES = ("setattr(held, 'rank', 2)", "delattr(held, 'tag')", "delattr(held, 'no_such')")
# Calls of `function` with `x` in another trace.
_TRACES = (
    *("jax.jit(function)(x)", "jax.grad(function)(x[0])", "jax.vmap(function)(x)"),
    *("jax.eval_shape(function, x)", "jax.make_jaxpr(function)(x)", "jax.checkpoint(function)(x)"),
    *("jax.linearize(function, x)", "jax.jit(jax.vmap(function))(x)", "nnx.jit(function)(x)"),
    "jax.lax.scan(lambda carry, entry: (carry, function(entry)), 0.0, x)",
    "jax.lax.cond(x[0] > 0, function, function, x)",
    "nnx.grad(function)(x[0])",
)
_MAKE = "{}(jax.device_put(np.float32([1.0, {}])), tag='a'{})"
_TYPES = ("nnx.Param", "nnx.Variable", "nnx.BatchStat")


@st.composite
def _traced(draw: st.DrawFn, changes: tuple[str, ...] = _CHANGES) -> Recipe:
    """Draw `held` and `other`, Variables of one type, a `change` of such two, and `run`.

    `run` calls a function with `x` in another trace, where it raises `error` for such a change.
    """
    scope = Scope()
    kind, rest = draw(st.sampled_from(_TYPES)), draw(st.sampled_from(("", ", rank=1")))
    scope.bind("make", f"lambda: {_MAKE.format(kind, 2.0, '')}")
    scope.bind("held", "make()")
    scope.bind("other", _MAKE.format(kind, -1.0, rest))
    change = draw(st.sampled_from(changes))
    scope.note(f"change:{change}")
    scope.bind("change", f"lambda held, other: {change}")
    scope.bind("run", f"lambda function, x: {draw(st.sampled_from(_TRACES))}")
    scope.bind("x", "jax.device_put(np.float32([1.0, 2.0]))")
    scope.bind("error", "flax.errors.TraceContextError")
    return scope.recipe()


@law(
    "every change of a Variable in another trace than that in which it was made raises "
    "TraceContextError and changes nothing; reading it does not raise",
    source=_FIX,
    level="should",
    needs=_NEEDS,
    case=_traced(),
)
def changes_stay_in_their_trace(lib, case):
    def function(x):
        refuses(case.error, lambda: case.change(case.held, case.other))
        return (x * case.held[...].sum() * case.held.get_value()[0]).sum()

    before = described(case.held)
    case.run(function, case.x)
    same_rows(described(case.held), before)


@law(
    "assigning the value of a Variable outside of the trace that made it raises "
    "TraceContextError and changes nothing",
    # "Flax NNX checks that the Modules and Variables being mutated are passed as arguments"
    source=_GUIDE,
    level="should",
    needs={"Variable", "Param", "BatchStat"},
    case=_traced(_ASSIGNED),
)
def values_are_not_assigned_from_inside_a_transform(lib, case):
    before = nnx_api.value(case.held)

    def function(x):
        refuses(case.error, lambda: case.change(case.held, case.other))
        return (x * nnx_api.value(case.held).sum()).sum()

    case.run(function, case.x)
    same(nnx_api.value(case.held), before, identical=True)


@law(
    "a change of a Variable in the trace where it was made gives it the metadata and the shape "
    "that the same change outside gives to one made outside",
    source=_FIX,
    level="should",
    needs=_NEEDS,
    case=_traced(),
    parents=[changes_stay_in_their_trace],
)
def variables_change_where_they_were_made(lib, case):
    found = []

    def function(x):
        made = case.make()
        found.append(_changed(case, made))
        return (x * made.get_value()).sum()

    case.run(function, case.x)
    same_graph(found[-1], _changed(case, case.held))


@law(
    "setting or deleting an attribute of a Variable that is none of its own raises AttributeError "
    "and changes nothing, as metadata has methods",
    source="https://github.com/google/flax/pull/4993",
    level="should",
    needs=_NEEDS,
    case=_traced(_NO_CHANGES),
)
def metadata_is_not_set_as_an_attribute(lib, case):
    before = described(case.held)
    refuses(AttributeError, lambda: case.change(case.held, case.other))
    same_rows(described(case.held), before)


def _changed(case, held):
    """Change a Variable; return its metadata and the shape of its value."""
    case.change(held, case.other)
    return held.get_metadata(), held.get_value().shape
