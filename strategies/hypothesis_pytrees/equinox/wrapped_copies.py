"""Functions that Equinox wraps, and copies of them, as text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way

_PLAIN = """\
def copied_plain(x):
    return jnp.sum(x * x)
"""
_MODULE = """\
class CopiedActor(eqx.Module):
    weight: typing.Any
    power: int = eqx.field(static=True, default=2)

    def __call__(self, x):
        return jnp.sum(self.weight * x) * self.power

    def act(self, x):
        return jnp.sum(self.weight * x * x)

    @eqx.filter_jit
    def jitted(self, x):
        return jnp.sum(self.weight * x) + self.power
"""
_CUSTOM_JVP = """\
def copied_custom_jvp(function):
    custom = eqx.filter_custom_jvp(lambda x: function(x))
    custom.def_jvp(lambda primals, tangents: (function(*primals), jnp.sum(tangents[0])))
    return custom
"""
_CUSTOM_VJP = """\
def copied_custom_vjp(function):
    custom = eqx.filter_custom_vjp(lambda x: function(x))
    custom.def_fwd(lambda perturbed, x: (function(x), None))
    custom.def_bwd(lambda residuals, grad, perturbed, x: x * grad)
    return custom
"""
_WEIGHT = "jax.device_put(np.float32([0.5, 3.0]))"


def _function(name: str, text: str, *definitions: str) -> Kind:
    return Kind("function", text, definitions, (f"function:{name}",))


def _wrapper(name: str, text: str, *definitions: str) -> Kind:
    return Kind("wrapper", text, definitions, (f"wrapper:{name}",))


_FUNCTIONS = (
    _function("plain", "copied_plain", _PLAIN),
    _function("lambda", "lambda x: jnp.sum(x * x)"),
    _function("module", f"CopiedActor({_WEIGHT})", _MODULE),
    _function("method", f"CopiedActor({_WEIGHT}).act", _MODULE),
    _function("jitted-method", f"CopiedActor({_WEIGHT}).jitted", _MODULE),
    _function("partial", f"functools.partial(CopiedActor.act, CopiedActor({_WEIGHT}))", _MODULE),
)
# Wrappers whose result has the value of the function.
_ALIKE: Sequence[Kind] = (
    _wrapper("filter_jit", "eqx.filter_jit($0)"),
    _wrapper("filter_checkpoint", "eqx.filter_checkpoint($0)"),
    _wrapper("filter_closure_convert", f"eqx.filter_closure_convert($0, {_WEIGHT})"),
    _wrapper("filter_custom_jvp", "copied_custom_jvp($0)", _CUSTOM_JVP),
    _wrapper("filter_custom_vjp", "copied_custom_vjp($0)", _CUSTOM_VJP),
    _wrapper("assert_max_traces", "eqx.debug.assert_max_traces($0, max_traces=None)"),
    _wrapper("assert_max_traces", "eqx.debug.assert_max_traces($0, max_traces=9)"),
    _wrapper("Partial", "eqx.Partial($0)"),
    _wrapper("Lambda", "eqx.nn.Lambda($0)"),
)
_DERIVED: Sequence[Kind] = (
    _wrapper("filter_grad", "eqx.filter_grad($0)"),
    _wrapper("filter_value_and_grad", "eqx.filter_value_and_grad($0)"),
    _wrapper("filter_jacrev", "eqx.filter_jacrev($0)"),
    _wrapper("filter_vmap", "eqx.filter_vmap($0, in_axes=None, axis_size=2)"),
)
# Functions that are no Modules.
_NO_MODULES = {f"function:{name}" for name in ("plain", "lambda", "partial")}
_NO_MODULES |= {"wrapper:filter_custom_jvp", "wrapper:filter_custom_vjp"}
# Those that hold an object of JAX for which nothing promises a deep copy.
_NOT_COPIED = {f"wrapper:filter_{n}" for n in ("closure_convert", "custom_jvp", "custom_vjp")}
# Expressions of `wrapped` that are copies of it.
_COPIES: Sequence[Kind] = (
    way("copy", "copy.copy(wrapped)"),
    way("deepcopy", "copy.deepcopy(wrapped)"),
    way("deepcopy-of-a-list", "copy.deepcopy([wrapped, wrapped])[1]"),
    way("deepcopy-of-a-module", "copy.deepcopy(eqx.nn.Lambda(wrapped))"),
    way("map", "jtu.tree_map(lambda leaf: leaf, wrapped)"),
    way("unflatten", "jtu.tree_unflatten(jtu.tree_structure(wrapped), jtu.tree_leaves(wrapped))"),
    way("filter", "eqx.filter(wrapped, lambda leaf: True)"),
    way("combine", "eqx.combine(*eqx.partition(wrapped, eqx.is_array))"),
    way("jit", "eqx.filter_jit(lambda held: held)(wrapped)"),
)


@st.composite
def wrapped_copies(draw: st.DrawFn) -> Recipe:
    """Draw `wrapped`, a function that Equinox has wrapped once or twice, `copied`, a copy, and `x`.

    Features: `wrapper:filter_jit`, `function:module`, `way:deepcopy` and so on.
    """
    scope = Scope()
    kinds = [draw(st.sampled_from(available(_FUNCTIONS)))]
    tables = (_ALIKE, (*_ALIKE, *_DERIVED))[draw(st.integers(0, 1)) :]
    kinds.extend(draw(st.sampled_from(available(table))) for table in tables)
    text = kinds[0].template
    for inner, wrapper in itertools.pairwise(kinds):
        text = wrapper.text([text])
        if "wrapper:filter_jit" in wrapper.features and not _NO_MODULES & {*inner.features}:
            scope.note("jitted:module")
    deep = not any(kind.features[0] in _NOT_COPIED for kind in kinds)
    ways = [kind for kind in _COPIES if deep or "deepcopy" not in kind.template]
    kinds.append(draw(st.sampled_from(ways)))
    for kind in kinds:
        scope.define(*kind.definitions)
        scope.note(*kind.features)
    scope.bind("x", "jax.device_put(np.float32([1.0, 2.0]))")
    scope.bind("wrapped", text)
    scope.bind("copied", kinds[-1].template)
    return scope.recipe()
