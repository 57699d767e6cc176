"""Draw chains of Flax NNX modules that sow what they see, and functions to capture it with."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_CLASS = """\
class NnxSeer(nnx.Module):
    # Multiplies by its weight what its inner module returns, and stores it before.
    def __init__(self, weight, inner=None):
        self.weight = nnx.Param(weight)
        self.inner = inner

    def __call__(self, x):
        x = x if self.inner is None else self.inner(x)
        self.sow(nnx.Intermediate, 'seen', x)
        return self.perturb('moved', x) * self.weight.get_value()

    def again(self, x):
        return self(self(x))
"""
_WEIGHTS = (2.0, -3.0, 0.5)
# How a function that is captured is given, and its arguments; `again` calls the module twice.
_CALL = "lambda module, x: module(x)"
_FORMS = (
    ("module", "module", "(x,)", "{}", 1),
    ("method", "module.again", "(x,)", "{}", 2),
    ("function", _CALL, "(module, x)", "{}", 1),
    ("twice", "lambda module, x: module(module(x))", "(module, x)", "{}", 2),
    ("module-by-name", "module", "()", "{'x': x}", 1),
    ("function-by-name", _CALL, "(module,)", "{'x': x}", 1),
)


@st.composite
def captures(draw: st.DrawFn) -> Recipe:
    """Bind a `module` of some depth, a `function` that calls it, and its arguments.

    The arguments are `arguments` by position and `named` by name. `weights` are those of the
    modules from the outer to the innermost one, `x` is the input, and `times` how often the
    function calls the module.
    """
    scope = Scope()
    scope.define(_CLASS)
    count = draw(st.integers(1, 3))
    weights = [draw(st.sampled_from(_WEIGHTS)) for _ in range(count)]
    text = "None"
    for weight in reversed(weights):
        text = f"NnxSeer(jax.device_put(np.float32({weight})), {text})"
    scope.bind("module", text)
    scope.bind("weights", repr(weights))
    scope.bind("x", f"jax.device_put(np.float32({draw(st.sampled_from(('[1.0, -2.0]', '4.0')))}))")
    form, function, arguments, named, times = draw(st.sampled_from(_FORMS))
    scope.note(f"capture:{form}")
    scope.bind("function", function)
    scope.bind("arguments", arguments)
    scope.bind("named", named)
    scope.bind("times", str(times))
    return scope.recipe()


_STEPS = """\
def nnx_decorated(method):
    @functools.wraps(method)
    def wrapped(self, *args, **named):
        return method(self, *args, **named)

    return wrapped


class NnxPlus:
    def __new__(cls, x):
        return x + 4


class NnxStepBase(nnx.Module):
    def inherited(self, x):
        return x + 1

    def overridden(self, x):
        return x

    @staticmethod
    def static_of_base(x):
        return x + 9


class NnxStepMixin:
    def mixed(self, x):
        return x - 3


class NnxSteps(NnxStepMixin, NnxStepBase):
    plus = NnxPlus

    def __init__(self, steps, inner=None):
        self.steps = steps
        self.inner = inner

    def own(self, x):
        return x * 3

    def overridden(self, x):
        return x + 5

    @nnx_decorated
    def wrapped(self, x):
        return x - 1

    @staticmethod
    def static(x):
        return x * 2

    @classmethod
    def of_class(cls, x):
        return x + 7

    def __call__(self, x):
        for step in self.steps:
            x = getattr(self, step)(x)
        return x if self.inner is None else self.inner(x)
"""
# What each step does to a number.
_METHODS = {
    "own": lambda x: x * 3,
    "overridden": lambda x: x + 5,
    "wrapped": lambda x: x - 1,
    "inherited": lambda x: x + 1,
    "mixed": lambda x: x - 3,
}
_OTHERS = {
    "static": lambda x: x * 2,
    "static_of_base": lambda x: x + 9,
    "of_class": lambda x: x + 7,
    "plus": lambda x: x + 4,
}
_STEP_FORMS = (
    ("module", "module", "(x,)"),
    ("method", "module.__call__", "(x,)"),
    ("function", "lambda held, x: held(x)", "(module, x)"),
)


@st.composite
def captured_methods(draw: st.DrawFn, *, others: bool = False) -> Recipe:
    """Bind a `module` that calls its methods, a `function` that calls it, and its `arguments`.

    `result` is what the function returns, and `outputs` those of the methods of the module, and of
    a module inside if it has one, by name. The features `step:<name>` say which methods are called.

    Args:
        others: also call static methods, class methods and a type that is held by the class.
    """
    scope = Scope()
    scope.define(_STEPS)
    table = {**_METHODS, **(_OTHERS if others else {})}
    x, levels, texts = 2.0, [], []
    for _ in range(draw(st.integers(1, 2))):
        steps = draw(st.lists(st.sampled_from(sorted(table)), min_size=1, max_size=3))
        outputs: dict[str, list[float]] = {}
        for step in steps:
            x = float(table[step](x))
            outputs.setdefault(step, []).append(x)
            scope.note(f"step:{step}")
        levels.append(outputs)
        texts.append(f"({''.join(f'{step!r}, ' for step in steps)})")
    for outputs in levels:
        outputs["__call__"] = [x]
    text = "None"
    for steps in reversed(texts):
        text = f"NnxSteps({steps}, {text})"
    scope.bind("module", text)
    scope.bind("x", "jnp.float32(2)")
    form, function, arguments = draw(st.sampled_from(_STEP_FORMS))
    scope.note(f"capture:{form}")
    scope.bind("function", function)
    scope.bind("arguments", arguments)
    scope.bind("result", f"jnp.float32({x})")
    scope.bind("outputs", repr(levels))
    return scope.recipe()


_NESTED = """\
class NnxInnerSower(nnx.Module):
    def __call__(self, x):
        self.sow(nnx.Intermediate, 'seen', x)
        return x


class NnxNesting(nnx.Module):
    def __init__(self, steps):
        self.steps = steps
        self.inner = NnxInnerSower()

    def __call__(self, x):
        found = []
        for step in self.steps:
            if step == 'call':
                self.inner(x)
            elif step == 'sow':
                self.inner.sow(nnx.Intermediate, 'seen', x)
            else:
                found.append(nnx.capture(self.inner, nnx.Intermediate)(x)[1])
            x = x + 1
        return x, found
"""


@st.composite
def nested_captures(draw: st.DrawFn) -> Recipe:
    """Bind a `module` that captures what a module inside sows, and an array `x`.

    `outside` are the values that it sows outside of these inner captures, and `inside` those of the
    captures.
    """
    scope = Scope()
    scope.define(_NESTED)
    names = st.sampled_from(("call", "sow", "capture"))
    steps = draw(st.lists(names, min_size=1, max_size=4))
    seen = [(step, f"jnp.float32({place})") for place, step in enumerate(steps)]
    scope.note(*(f"nested:{step}" for step in steps))
    scope.bind("module", f"NnxNesting({tuple(steps)!r})")
    scope.bind("x", "jnp.float32(0)")
    for name, is_inside in (("outside", False), ("inside", True)):
        values = [text for step, text in seen if (step == "capture") is is_inside]
        scope.bind(name, f"({''.join(f'{text}, ' for text in values)})")
    return scope.recipe()


_SOWERS = """\
class NnxSowsOne(nnx.Module):
    def __init__(self, factor):
        self.weight = nnx.Param(jnp.float32(factor))

    def __call__(self, x):
        self.sow(nnx.Intermediate, 'seen', x)
        return x * self.weight[...]


class NnxHoldsSowers(nnx.Module):
    def __init__(self, held):
        self.held = held

    def __call__(self, x):
        held = getattr(self.held, 'layers', self.held)
        for one in held.values() if isinstance(held, dict) else held:
            x = one(x)
        self.sow(nnx.Intermediate, 'last', x)
        return x
"""
_HOLDERS = {
    "list": "nnx.List([{}, {}])",
    "sequential": "nnx.Sequential({}, {})",
    "one": "nnx.List([{}])",
    "data-list": "nnx.data([{}, {}])",
    "data-dict": "nnx.data(dict(a={}, b={}))",
    "data-tuple": "nnx.data(({}, {}))",
}
_AXES = "nnx.StateAxes({nnx.Intermediate: 0, ...: $rest})"
_CALL_IT = "lambda held, x: held(x)"
# A call of `module` with `x` in a transform, and whether what is captured has a further axis.
_TRANSFORMED = (
    ("jit", f"nnx.jit({_CALL_IT})(module, x)", False),
    ("remat", f"nnx.remat({_CALL_IT})(module, x)", False),
    ("cond", f"nnx.cond(True, {_CALL_IT}, {_CALL_IT}, module, x)", False),
    ("switch", f"nnx.switch(0, [{_CALL_IT}, {_CALL_IT}], module, x)", False),
    (
        "grad",
        "nnx.grad(lambda held, x: (lambda y: (y.sum(), y))(held(x)), has_aux=True)(module, x)[1]",
        False,
    ),
    (
        "vmap",
        f"nnx.vmap({_CALL_IT}, in_axes=({_AXES.replace('$rest', 'None')}, 0))(module, x[None])[0]",
        True,
    ),
    (
        "scan",
        (
            f"nnx.scan({_CALL_IT}, in_axes=({_AXES.replace('$rest', 'nnx.Carry')}, nnx.Carry), "
            "out_axes=nnx.Carry, length=1)(module, x)"
        ),
        True,
    ),
)


@st.composite
def transformed_captures(draw: st.DrawFn) -> Recipe:
    """Bind a `module` that holds others that sow, an array `x`, and `run`, a call in a transform.

    `unstacked` gives a captured array as it is without the axis that the transform adds.
    """
    scope = Scope()
    scope.define(_SOWERS)
    name = draw(st.sampled_from(tuple(_HOLDERS)))
    scope.note(f"holds:{name}")
    factors = [draw(st.sampled_from(_WEIGHTS)) for _ in range(2)]
    scope.bind(
        "module", f"NnxHoldsSowers({_HOLDERS[name].format(*map('NnxSowsOne({})'.format, factors))})"
    )
    scope.bind(
        "x", f"jax.device_put(np.float32({draw(st.sampled_from(('[1.0, -2.0]', '[4.0]')))}))"
    )
    way, text, is_stacked = draw(st.sampled_from(_TRANSFORMED))
    scope.note(f"way:{way}")
    scope.bind("run", f"lambda module, x: {text}")
    scope.bind("unstacked", f"lambda leaf: leaf{'[0]' if is_stacked else ''}")
    return scope.recipe()
