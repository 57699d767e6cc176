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
_FORMS = (
    ("module", "module", "(x,)", 1),
    ("method", "module.again", "(x,)", 2),
    ("function", "lambda module, x: module(x)", "(module, x)", 1),
    ("twice", "lambda module, x: module(module(x))", "(module, x)", 2),
)


@st.composite
def captures(draw: st.DrawFn) -> Recipe:
    """Bind a `module` of some depth, a `function` that calls it, and the arguments.

    `weights` are those of the modules from the outer to the innermost one, `x` is the input, and
    `times` how often the function calls the module.
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
    form, function, arguments, times = draw(st.sampled_from(_FORMS))
    scope.note(f"capture:{form}")
    scope.bind("function", function)
    scope.bind("arguments", arguments)
    scope.bind("times", str(times))
    return scope.recipe()
