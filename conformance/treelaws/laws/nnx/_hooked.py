"""Variables with several hooks, as text: ways to give the hooks, and what keeps them."""

from __future__ import annotations

from collections.abc import Mapping

# `hooks` has the hooks by name: `(factor, term)` for a value, a label for an axis.
MAKE = """\
def nnx_step(factor, term):
    return lambda variable, value: value * factor + term


def nnx_teller(label, name):
    def tell(variable, index, axis):
        told = variable.get_metadata('told', ())
        variable.set_metadata(told=(*told, (label, name, index, axis)))

    return tell


def nnx_hooked(make, value, hooks):
    import warnings

    held = {}
    for name, given in hooks.items():
        made = [nnx_teller(one, name) if 'axis' in name else nnx_step(*one) for one in given]
        held[f'on_{name}'] = tuple(made)
    with warnings.catch_warnings():
        # Hooks are deprecated: types of Variables can override `get_value` and `set_value`.
        warnings.simplefilter('ignore')
        return make(value, held)
"""
# What the methods do, as `hooks` tells it.
OF_METHODS = {
    **{name: [(2.0, 1.0)] for name in ("create_value", "get_value", "set_value")},
    **{name: ["m"] for name in ("add_axis", "remove_axis")},
}
METHODS = """\
class NnxMadeByHook(nnx.Variable):
    def on_create_value(self, value):
        return value * 2.0 + 1.0


class NnxFiveHooks(NnxMadeByHook):
    def on_get_value(self, value):
        return value * 2.0 + 1.0

    def on_set_value(self, value):
        return value * 2.0 + 1.0

    def on_add_axis(self, index, axis):
        nnx_teller('m', 'add_axis')(self, index, axis)

    def on_remove_axis(self, index, axis):
        nnx_teller('m', 'remove_axis')(self, index, axis)
"""
_FIRST = "{name: hooks[0] for name, hooks in held.items() if hooks}"
_LISTS = "{name: list(hooks) for name, hooks in held.items()}"
_REST = "{name: hooks for name, hooks in held.items() if name != 'on_create_value'}"
_ACCESS = "{name: held[name] for name in ('on_get_value', 'on_set_value')}"
_OTHERS = "{name: held[name] for name in ('on_create_value', 'on_add_axis', 'on_remove_axis')}"
_INITIALIZER = "nnx.with_metadata(lambda given: given, **{})(given)"
# Expressions that make a Variable of the value `given` with the hooks `held`.
WAYS: Mapping[str, str] = {
    "arguments": "nnx.Param(given, **held)",
    "arguments-one": f"nnx.Cache(given, **{_FIRST})",
    "metadata": "nnx.Param(nnx.VariableMetadata(given, **held))",
    "metadata-and-arguments": f"nnx.Param(nnx.VariableMetadata(given, **{_OTHERS}), **{_ACCESS})",
    "arguments-and-metadata": f"nnx.Param(nnx.VariableMetadata(given, **{_ACCESS}), **{_OTHERS})",
    "initializer": f"nnx.Param({_INITIALIZER.format('held')})",
    "initializer-lists": f"nnx.BatchStat({_INITIALIZER.format(_LISTS)})",
    "initializer-one": f"nnx.Variable({_INITIALIZER.format(_FIRST)})",
    "jit": "jax.jit(lambda given: nnx.Param(given, **held))(given)",
    "method": "NnxFiveHooks(given)",
    "method-and-arguments": f"NnxMadeByHook(given, **{_REST})",
}
# Functions that give an equal Variable.
JOURNEYS = (
    "lambda variable: variable",
    "lambda variable: variable.copy()",
    "lambda variable: variable.replace()",
    "lambda variable: variable.to_state()",
    "lambda held: type(held).from_metadata(held.get_raw_value(), held.get_metadata())",
    "lambda variable: jtu.tree_map(lambda leaf: leaf, variable)",
    "lambda variable: nnx.clone(nnx.Dict(a=variable)).a",
    "lambda variable: nnx.merge(*nnx.split(nnx.Dict(a=variable))).a",
    "lambda variable: nnx.state(nnx.Dict(a=variable))['a']",
    "lambda variable: copy.deepcopy(nnx.Dict(a=variable)).a",
)
