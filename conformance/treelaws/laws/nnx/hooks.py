"""Flax NNX: hooks on reading and writing Variables."""

from __future__ import annotations

import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core import names
from hypothesis_pytrees.leaves.leaves import INEXACT_ARRAYS, pool
from hypothesis_pytrees.nnx.variables import hooked_types, variables
from treelaws.compat import nnx as nnx_api
from treelaws.core.law import Topic
from treelaws.equality import same

law = Topic("nnx.hooks", "Flax NNX: hooks of Variables", family="nnx")
_FIX = "https://github.com/google/flax/commit/2b870fa7"
_VARIABLE = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/variablelib.py"
_TESTS = "https://github.com/google/flax/blob/v0.12.8/tests/nnx/containers_test.py#L22-L70"
# Since 0.12.7, users write hooks by overriding `get_value` and `set_value`.
_OWN = """\
class NnxScaled(nnx.Variable):
    def get_value(self, **options):
        return super().get_value(**options) * 2

    def set_value(self, value, **options):
        super().set_value(value * 0.5, **options)
"""
_CREATES = """\
class NnxCreates(nnx.Variable):
    def create_value(self, value):
        return super().create_value(value) * 4.0
"""
_COUNTED = """\
class NnxCounted(nnx.Variable):
    made = []

    def on_create_value(self, value):
        NnxCounted.made.append(None)
        return value * 3
"""
_MADE_WITH_HOOKS = """\
def nnx_made_with_hooks(value, created, read, written):
    import warnings

    with warnings.catch_warnings():
        # Hooks are deprecated: types of Variables can override `get_value` and `set_value`.
        warnings.simplefilter('ignore')
        made = nnx.with_metadata(
            lambda: value,
            $create=lambda variable, value: value * created,
            $get=lambda variable, value: value * read,
            $set=[lambda variable, value: value * written],
        )
        return nnx.Param(made())
"""
# What the arguments of `with_metadata` are called.
_NEW_NAMES, _OLD_NAMES = "on_{}_value", "{}_value_hooks"
_READS = {
    "index": "lambda variable: variable[...]",
    "jax": "jnp.asarray",
    "product": "lambda variable: variable * 1",
    "reflected": "lambda variable: 1 * variable",
    "negation": "lambda variable: -(-variable)",
    "numpy": "np.asarray",
    "method": "lambda variable: variable.astype(variable.dtype)",
    "attribute": "lambda variable: variable.T.T",
}
_HOLDER = """\
class NnxHooked(nnx.Module):
    def __init__(self, variable):
        self.variable = variable
"""
_JOURNEYS = (
    "lambda module: nnx.merge(*nnx.split(module))",
    "nnx.clone",
    "copy.deepcopy",
    "lambda module: nnx.merge(*nnx.split(module, nnx.Param, ...))",
    "lambda module: nnx.merge(nnx.graphdef(module), jtu.tree_map(lambda x: x, nnx.state(module)))",
    "lambda module: NnxHooked(module.variable.copy())",
)


@st.composite
def _hooked(draw: st.DrawFn, hook: str, *, read: bool = False, journey: bool = False) -> Recipe:
    """Draw `variable` with a hook and its `factor`, a `value`, and maybe `read` and `journey`."""
    types = [one for one in hooked_types() if f"hook:{hook}" in one.features]
    kind = draw(st.sampled_from(types))
    scope = Scope()
    scope.bind("variable", draw(variables(types=(kind,))))
    scope.bind("factor", repr(kind.factor))
    scope.bind("value", draw(pool(tuple(INEXACT_ARRAYS))))
    if read:
        name = draw(st.sampled_from(tuple(_READS)))
        scope.bind("read", _READS[name])
        scope.note(f"read:{name}")
    if journey:
        _draw_journey(draw, scope)
    return scope.recipe()


@st.composite
def _overriding(draw: st.DrawFn, definition: str, name: str) -> Recipe:
    """Draw `variable` of a user's type `cls`, its `module`, a `journey`, and a new `value`."""
    scope = Scope()
    scope.define(definition)
    value = scope.include(draw(pool(tuple(INEXACT_ARRAYS))))
    scope.bind("variable", f"{name}({value})")
    scope.bind("cls", name)
    scope.bind("value", "variable.get_raw_value() + 1" if definition is _OWN else value)
    _draw_journey(draw, scope)
    return scope.recipe()


def _draw_journey(draw: st.DrawFn, scope: Scope) -> None:
    """Draw `module`, which holds `variable`, and `journey`, which returns an equal module."""
    scope.define(_HOLDER)
    scope.bind("module", "NnxHooked(variable)")
    scope.bind("journey", draw(st.sampled_from(_JOURNEYS)))


@st.composite
def _with_hooks(draw: st.DrawFn) -> Recipe:
    """Draw `variable`, made with hooks by `with_metadata`, their `factors`, and its `value`."""
    scope = Scope()
    has_new = names.has("nnx.with_metadata(on_get_value)")
    text, form = _MADE_WITH_HOOKS, _NEW_NAMES if has_new else _OLD_NAMES
    for hook in ("create", "get", "set"):
        text = text.replace(f"${hook}", form.format(hook))
    scope.define(text)
    scope.bind("value", draw(pool(tuple(INEXACT_ARRAYS))))
    factors = [draw(st.sampled_from((2.0, -0.5))) for _ in range(3)]
    scope.bind("factors", repr(factors))
    scope.bind("variable", "nnx_made_with_hooks(value, *factors)")
    return scope.recipe()


@law(
    "reading a Variable runs its `on_get_value` hook, given as a method or as an argument",
    source=_FIX,
    level="should",
    needs={"Variable"},
    case=_hooked("get"),
)
def reading_runs_the_hook(lib, case):
    wanted = nnx_api.raw_value(case.variable) * case.factor
    same(nnx_api.value(case.variable), wanted)


@law(
    "every way of reading a Variable runs its `on_get_value` hook",
    source=_FIX,
    level="should",
    needs={"Variable"},
    case=_hooked("get", read=True),
    parents=(reading_runs_the_hook,),
)
def every_way_of_reading_runs_the_hook(lib, case):
    wanted = np.asarray(nnx_api.value(case.variable))
    same(np.asarray(case.read(case.variable)), wanted)


@law(
    "writing a Variable runs its `on_set_value` hook on the new value",
    source=_FIX,
    level="should",
    needs={"Variable"},
    case=_hooked("set"),
)
def writing_runs_the_hook(lib, case):
    nnx_api.set_value(case.variable, case.value)
    same(nnx_api.raw_value(case.variable), case.value * case.factor)


@law(
    "a split, merged, cloned or copied Variable keeps its `on_get_value` hook",
    source=_FIX,
    level="should",
    needs={"split", "merge", "clone", "graphdef", "state"},
    case=_hooked("get", journey=True),
    parents=(reading_runs_the_hook,),
)
def the_hook_on_reading_travels(lib, case):
    wanted = nnx_api.value(case.variable)
    same(nnx_api.value(case.journey(case.module).variable), wanted)


@law(
    "a split, merged, cloned or copied Variable keeps its `on_set_value` hook",
    source=_FIX,
    level="should",
    needs={"split", "merge", "clone", "graphdef", "state"},
    case=_hooked("set", journey=True),
    parents=(writing_runs_the_hook,),
)
def the_hook_on_writing_travels(lib, case):
    variable = case.journey(case.module).variable
    nnx_api.set_value(variable, case.value)
    same(nnx_api.raw_value(variable), case.value * case.factor)


@law(
    "the `on_create_value` hook runs when a Variable is made, not when it is split or copied",
    source=f"{_VARIABLE}#L1364-L1375",
    level="should",
    needs={"split", "merge", "clone", "graphdef", "state"},
    case=_overriding(_COUNTED, "NnxCounted"),
)
def the_hook_on_creation_runs_once(lib, case):
    count, wanted = len(case.cls.made), case.value * 3
    same(nnx_api.raw_value(case.journey(case.module).variable), wanted)
    same(len(case.cls.made), count)
    nnx_api.raw_value(case.cls(case.value))
    same(len(case.cls.made), count + 1)


@law(
    "a Variable whose type overrides `get_value` is read by it",
    source=_TESTS,
    level="should",
    needs={"Variable.get_value"},
    case=_overriding(_OWN, "NnxScaled"),
)
def overridden_methods_are_used(lib, case):
    variable = case.journey(case.module).variable
    wanted = case.variable.get_raw_value() * 2
    for got in (variable[...], variable.get_value(), variable * 1):
        same(jtu.tree_map(np.asarray, got), np.asarray(wanted))


@law(
    "a Variable whose type overrides `create_value` is made by it once, not again by a copy",
    source=f"{_VARIABLE}#L1296-L1298",
    level="should",
    needs={"Variable.get_value"},
    case=_overriding(_CREATES, "NnxCreates"),
)
def an_overridden_create_value_is_used(lib, case):
    variable = case.journey(case.module).variable
    same(np.asarray(variable.get_raw_value()), np.asarray(case.value * 4.0))


@law(
    "a Variable whose type overrides `set_value` is written by it",
    source=_TESTS,
    level="should",
    needs={"Variable.get_value"},
    case=_overriding(_OWN, "NnxScaled"),
)
def an_overridden_set_value_is_used(lib, case):
    variable = case.journey(case.module).variable
    variable[...] = case.value
    same(np.asarray(variable.get_raw_value()), np.asarray(case.value * 0.5))


@law(
    "hooks that `with_metadata` gives an initializer run when the Variable is made, read and set",
    source=_FIX,
    level="should",
    needs={"with_metadata"},
    case=_with_hooks(),
    parents=(reading_runs_the_hook, writing_runs_the_hook),
)
def hooks_of_an_initializer_run(lib, case):
    created, read, written = case.factors
    same(nnx_api.raw_value(case.variable), case.value * created)
    same(nnx_api.value(case.variable), case.value * created * read)
    nnx_api.set_value(case.variable, case.value)
    same(nnx_api.raw_value(case.variable), case.value * written)
