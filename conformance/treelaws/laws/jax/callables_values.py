"""JAX: functions that take a callable, which may be of any kind."""

from __future__ import annotations

import importlib

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees import Kind, Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from treelaws.equality import same

from .callables import law

_API = "https://docs.jax.dev/en/latest/_autosummary"
_RECORD = """\
@dataclasses.dataclass
class ScalingRecord:
    by: float

    def __call__(self, array):
        return array * np.float32(self.by)
"""
_OBJECT = """\
class ScalingObject:
    by = np.float32(2.0)

    def __call__(self, array):
        return array * self.by

    def method(self, array):
        return array * self.by

    @staticmethod
    def still(array):
        return array * np.float32(2.0)

    @classmethod
    def of_class(cls, array):
        return array * cls.by
"""
_SLOTS = """\
class ScalingSlots:
    __slots__ = ()

    def __call__(self, array):
        return array * np.float32(2.0)
"""


def _form(name: str, text: str, *definitions: str) -> Kind:
    return Kind("form", text, definitions, (f"form:{name}",))


# Callables of one array, each of which gives another one.
_FORMS = (
    _form("partial", "functools.partial(operator.mul, np.float32(2.0))"),
    _form("tree-partial", "jtu.Partial(operator.mul, np.float32(2.0))"),
    _form("nested-partial", "functools.partial(functools.partial(operator.mul), np.float32(3.0))"),
    _form("unhashable-method", "ScalingRecord(2.0).__call__", _RECORD),
    _form("object", "ScalingObject()", _OBJECT),
    _form("method", "ScalingObject().method", _OBJECT),
    _form("static-method", "ScalingObject.still", _OBJECT),
    _form("class-method", "ScalingObject.of_class", _OBJECT),
    _form("builtin", "operator.neg"),
    _form("builtin", "operator.pos"),
    _form("ufunc", "jnp.negative"),
    _form("compiled", "jax.jit(operator.neg)"),
)
# A callable without a hash or without weak references may be refused where it is the key of a
# cache: see the source of the laws in `callables.py`.
_ODD = (
    _form("unhashable", "ScalingRecord(2.0)", _RECORD),
    _form("slots", "ScalingSlots()", _SLOTS),
    _form("methodcaller", "operator.methodcaller('__mul__', np.float32(2.0))"),
)
_LIKE = "jax.ShapeDtypeStruct((2,), jnp.float32)"
# "This can be any Callable."
_ANY = (way("named-call", "jax.named_call(function)(array)"),
        way("named-call-name", "jax.named_call(function, name='part')(array)"))  # fmt: skip
_DERIVATIVES = (
    way("jvp", "jax.jvp(function, (array,), (array,))"),
    way("vjp", "jax.vjp(function, array)[1](array)"),
    way("linearize", "jax.linearize(function, array)[1](array)"),
    way("linear-transpose", "jax.linear_transpose(function, array)(array)"),
    way("jacfwd", "jax.jacfwd(function)(array)"),
    way("jacrev", "jax.jacrev(function)(array)"),
    way("hessian", "jax.hessian(function)(array)"),
    way("grad", "jax.grad(function)(array[0])"),
    way("value-and-grad", "jax.value_and_grad(function)(array[0])"),
)
_TREES = (
    way("tree-map", "jtu.tree_map(function, [array, array])"),
    way("short-tree-map", "jax.tree.map(function, {'a': array, 'b': (array, None)})"),
)
_OTHERS = (
    *_ANY,
    way("jit", "jax.jit(function)(array)"),
    way("vmap", "jax.vmap(function)(array)"),
    way("eval-shape", "jnp.zeros(jax.eval_shape(function, array).shape)"),
    way("jaxpr", "jnp.zeros(jax.make_jaxpr(function)(array).out_avals[0].shape)"),
    way("checkpoint", "jax.checkpoint(function)(array)"),
    way("custom-jvp", "(lambda ruled: (ruled.defjvps(lambda slope, *_: slope), ruled(array))[1])"
        "(jax.custom_jvp(function))"),
    way("custom-vjp", "(lambda ruled: (ruled.defvjp(lambda x: (x, x), lambda _, slope: (slope,)), "
        "ruled(array))[1])(jax.custom_vjp(function))"),
    way("custom-vmap", "(lambda ruled: (ruled.def_vmap(lambda size, given, x: (x, True)), "
        "ruled(array))[1])(jax.custom_batching.custom_vmap(function))"),
    way("sequential-vmap", "jax.vmap(jax.custom_batching.sequential_vmap(function))(array)"),
    way("closure-convert", "jax.closure_convert(function, array)[0](array)"),
    way("pure-callback", f"jax.pure_callback(function, {_LIKE}, array)"),
    way("pure-callback-in-jit",
        f"jax.jit(lambda x: jax.pure_callback(function, {_LIKE}, x))(array)"),
    way("pure-callback-in-vmap",
        f"jax.vmap(lambda x: jax.pure_callback(function, {_LIKE}, x, vmap_method='sequential'))"
        "(jnp.stack([array, array]))"),
    way("io-callback", f"jax.experimental.io_callback(function, {_LIKE}, array)"),
    way("debug-callback", "jax.debug.callback(function, array)"),
    way("cond", "jax.lax.cond(True, function, function, array)"),
    way("switch", "jax.lax.switch(1, [function, function], array)"),
    way("map", "jax.lax.map(function, array)"),
    way("map-batched", "jax.lax.map(function, array, batch_size=2)"),
    way("while-loop", "jax.lax.while_loop(lambda held: held[0] == 1, function, array)"),
    way("platform", "jax.lax.platform_dependent(array, default=function)"),
    way("vectorize", "jnp.vectorize(function)(array)"),
    way("along-axis", "jnp.apply_along_axis(function, 0, array)"),
    way("piecewise", "jnp.piecewise(array, [array > 1], [function, function])"),
    way("at-apply", "array.at[0].apply(function)"),
    way("linear-solve", "jax.lax.custom_linear_solve(lambda x: x, array, "
        "lambda product, right: function(right), symmetric=True)"),
)  # fmt: skip


@st.composite
def _calls(draw: st.DrawFn) -> Recipe:
    """Bind `function`, a callable of one array, and `run`, which gives one to a function of JAX."""
    scope = Scope()
    ways = draw(st.sampled_from((_OTHERS, _DERIVATIVES, _TREES)))
    drawn = draw(st.sampled_from(available(ways)))
    form = draw(st.sampled_from((*_FORMS, *_ODD) if drawn in _ANY else _FORMS))
    for kind in (drawn, form):
        scope.define(*kind.definitions)
        scope.note(*kind.features)
    scope.bind("array", "jnp.float32([1.0, 2.0])")
    scope.bind("function", form.template)
    scope.bind("run", f"lambda function: {drawn.template}")
    return scope.recipe()


@law(
    "a function that takes a callable does with a partial object, a bound method, an object with "
    "`__call__` or a builtin what it does with a function that calls it",
    source=f"{_API}/jax.named_call.html",
    level="should",
    case=_calls(),
)
def callables_of_any_kind_are_called_as_functions_are(lib, case):
    # JAX loads this submodule only if it is imported by name.
    importlib.import_module("jax.experimental")
    found, wanted = case.run(case.function), case.run(lambda array: case.function(array))
    same(_plain(found), _plain(wanted))


def _plain(tree):
    """Return arrays without weak types: what a callback gives may be an array of NumPy."""
    return jax.device_get(jtu.tree_map(jnp.asarray, tree))
