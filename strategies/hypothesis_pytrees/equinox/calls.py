"""Calls of functions of every form, and ways in which Equinox makes such a call, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.contexts import IN_THREAD, WITHIN
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import PLAIN, bind_way, way
from hypothesis_pytrees.trees.structures import structures

_TWICE = """\
def call_twice(tree):
    is_array = lambda leaf: isinstance(leaf, (jax.Array, np.ndarray))
    return jtu.tree_map(lambda leaf: jnp.add(leaf, leaf) if is_array(leaf) else leaf, tree)
"""
_PLAIN = """\
def call_plain(*args, **named):
    return call_twice((args, named))
"""
_DEFAULTS = """\
def call_with_defaults(first, second=2.0, *rest, third=(2.0, 'text'), **named):
    return call_twice((first, second, rest, third, named))
"""
_DECORATED = """\
@functools.wraps(call_plain)
def call_decorated(*args, **named):
    return call_plain(*args, **named)
"""
_CLOSING = """\
def call_closing(held):
    def call(*args, **named):
        return call_twice((held, args, named))

    return call
"""
_RECURSIVE = """\
def call_recursive(*args, **named):
    rest = call_recursive(*args[1:], **named) if args else ()
    return (call_twice(args[0]), *rest) if args else (call_twice(named),)
"""
_MODULE = """\
class CallModule(eqx.Module):
    weight: typing.Any
    note: str = eqx.field(static=True, default='note')

    def __call__(self, *args, **named):
        return call_twice((self.weight, self.note, args, named))

    def act(self, *args, **named):
        return call_twice((self, args, named))

    @classmethod
    def make(cls, *args, **named):
        return cls(call_twice((args, named)))

    @staticmethod
    def plain(*args, **named):
        return call_twice((args, named))
"""
_HOLDER = """\
class CallHolder(eqx.Module):
    held: typing.Any

    def __init__(self, *args, **named):
        self.held = call_twice((args, named))
"""
_WEIGHT = "jax.device_put(np.float32([0.5, 3.0]))"


def _form(name: str, text: str, *definitions: str) -> Kind:
    return Kind("function", text, (_TWICE, *definitions), (f"function:{name}",))


FORMS: Sequence[Kind] = (
    _form("lambda", "lambda *args, **named: call_twice((args, named))"),
    _form("defaults", "call_with_defaults", _DEFAULTS),
    _form("decorated", "call_decorated", _PLAIN, _DECORATED),
    _form("recursive", "call_recursive", _RECURSIVE),
    _form("closing-over-a-module", f"call_closing(CallModule({_WEIGHT}))", _MODULE, _CLOSING),
    _form("module", f"CallModule({_WEIGHT})", _MODULE),
    _form("bound-method", f"CallModule({_WEIGHT}, 'other').act", _MODULE),
    _form("class-method", "CallModule.make", _MODULE),
    _form("static-method", f"CallModule({_WEIGHT}).plain", _MODULE),
    _form("class", "CallHolder", _HOLDER),
    _form("partial", f"functools.partial(call_plain, {_WEIGHT}, option='text')", _PLAIN),
    _form("tree-partial", f"jtu.Partial(call_plain, {_WEIGHT}, option={_WEIGHT})", _PLAIN),
    _form("eqx-partial", f"eqx.Partial(call_plain, {_WEIGHT}, option='text')", _PLAIN),
    _form("jitted", "eqx.filter_jit(call_plain)", _PLAIN),
    _form("jitted-module", f"eqx.filter_jit(CallModule({_WEIGHT}))", _MODULE),
    _form("checkpointed", "eqx.filter_checkpoint(call_plain)", _PLAIN),
    _form(
        "vmapped", "eqx.filter_vmap(call_plain, in_axes=None, out_axes=None, axis_size=1)", _PLAIN
    ),
)

_EVALUATED = """\
def call_evaluated(function, args, named):
    jaxpr, dynamic, static = eqx.filter_make_jaxpr(function)(*args, **named)
    arrays = [leaf for leaf in jtu.tree_leaves((args, named)) if eqx.is_array(leaf)]
    made = jax.core.eval_jaxpr(jaxpr.jaxpr, jaxpr.consts, *arrays)
    return eqx.combine(jtu.tree_unflatten(jtu.tree_structure(dynamic), made), static)
"""
_PARTITIONED = """\
def call_partitioned(function, args, named):
    arrays, rest = eqx.partition((function, args, named), eqx.is_array)
    outside = []

    @jax.jit
    def inside(arrays):
        function, args, named = eqx.combine(arrays, rest)
        result, other = eqx.partition(function(*args, **named), eqx.is_array)
        outside.append(other)
        return result

    return eqx.combine(inside(arrays), outside[0])
"""


# Expressions of `function`, `args` and `named` that are to equal `function(*args, **named)`.
WAYS: Sequence[Kind] = (
    way("jit", "eqx.filter_jit(function)(*args, **named)"),
    way("jit-inline", "eqx.filter_jit(function, inline=True)(*args, **named)"),
    way("jit-decorator", "eqx.filter_jit(donate='none')(function)(*args, **named)"),
    way("jit-in-jit", "eqx.filter_jit(eqx.filter_jit(function))(*args, **named)"),
    way(
        "jit-of-the-function",
        "eqx.filter_jit(lambda call, args, named: call(*args, **named))(function, args, named)",
    ),
    way("lowered", "eqx.filter_jit(function).lower(*args, **named).compile()(*args, **named)"),
    way("checkpoint", "eqx.filter_checkpoint(function)(*args, **named)"),
    way("checkpoint-in-jit", "eqx.filter_jit(eqx.filter_checkpoint(function))(*args, **named)"),
    way(
        "vmap",
        "eqx.filter_vmap(lambda args, named: function(*args, **named), in_axes=None, "
        "out_axes=None, axis_size=2)(args, named)",
    ),
    way(
        "vmap-in-jit",
        "eqx.filter_jit(eqx.filter_vmap(lambda args, named: function(*args, **named), "
        "in_axes=None, out_axes=None, axis_size=2))(args, named)",
    ),
    way(
        "closure-converted", "eqx.filter_closure_convert(function, *args, **named)(*args, **named)"
    ),
    way(
        "grad",
        "eqx.filter_grad(lambda x, call, args, named: (x, call(*args, **named)), has_aux=True)"
        "(jnp.float32(1.0), function, args, named)[1]",
    ),
    way(
        "value-and-grad",
        "eqx.filter_value_and_grad(lambda x: (x, function(*args, **named)), has_aux=True)"
        "(jnp.float32(1.0))[0][1]",
    ),
    way(
        "vjp",
        "eqx.filter_vjp(lambda x: (x, function(*args, **named)), jnp.float32(1.0), has_aux=True)"
        "[2]",
    ),
    way("jaxpr", "call_evaluated(function, args, named)", _EVALUATED),
    way("partitioned", "call_partitioned(function, args, named)", _PARTITIONED),
    way(
        "without-jit",
        "run_within(jax.disable_jit(), lambda: eqx.filter_jit(function)(*args, **named))",
        WITHIN,
    ),
    way(
        "leaks-checked",
        "run_within(jax.checking_leaks(), lambda: eqx.filter_jit(function)(*args, **named))",
        WITHIN,
    ),
    way("thread", "run_in_thread(lambda: eqx.filter_jit(function)(*args, **named))", IN_THREAD),
)
_NAMES = ("other", "args", "static", "x")


@st.composite
def calls(draw: st.DrawFn, ways: Sequence[Kind] = WAYS) -> Recipe:
    """Draw a `function`, its arguments `args` and `named`, and `run`, which makes the call.

    `run(function, args, named)` is to equal `function(*args, **named)`. The first argument is an
    object that only this call has, since equal static arguments may share what is compiled.

    Args:
        ways: how the call can be made; one that the releases have is drawn.
    """
    scope = Scope()
    form = draw(st.sampled_from(available(FORMS)))
    scope.define(*form.definitions)
    scope.note(*form.features)
    scope.bind("function", form.template)
    trees = [scope.bind("tree", draw(structures())) for _ in range(draw(st.integers(1, 2)))]
    if draw(st.booleans()):
        trees.append(trees[0])
        scope.note("argument:twice")
    scope.bind("own", "object()")
    # `filter_vmap` takes no keyword arguments.
    most = 0 if "function:vmapped" in form.features else 2
    names = draw(st.lists(st.sampled_from(_NAMES), max_size=most, unique=True))
    pairs = ", ".join(f"{name!r}: {draw(st.sampled_from(trees))}" for name in names)
    scope.bind("args", f"(own, {', '.join(trees)})")
    scope.bind("named", f"{{{pairs}}}")
    bind_way(draw, scope, ways, "function, args, named", forms=PLAIN)
    return scope.recipe()
