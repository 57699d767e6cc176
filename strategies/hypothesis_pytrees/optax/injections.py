"""Hyperparameters of a transformation in every form: numbers, arrays, schedules, static values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .params import GRADIENTS, PARAMETERS, draw_parameters, sources

_HALVED = """\
class HalvedSchedule:
    def init(self):
        return jnp.float32(0.5)

    def update(self, state, **extra_args):
        return state * 0.5

    def __call__(self, state, **extra_args):
        return state
"""
_LINEAR = "optax.linear_schedule(0.25, 0.05, 4)"
# Numbers that are the same in each step.
_NUMBERS: Mapping[str, str] = {
    "float": "0.25",
    "numpy-scalar": "np.float32(0.25)",
    "numpy-array": "np.asarray(0.25, np.float32)",
    "array": "jnp.float32(0.25)",
    "weak-array": "jnp.asarray(0.25)",
}
# Schedules, and what they give in a `step`.
_SCHEDULES: Mapping[str, tuple[str, str]] = {
    "schedule": (_LINEAR, f"{_LINEAR}(step)"),
    "python-schedule": ("lambda count: 0.5 / (count + 1)", "0.5 / (step + 1)"),
    "constant-schedule": ("optax.constant_schedule(0.25)", "0.25"),
    "wrapped-schedule": (f"optax.WrappedSchedule({_LINEAR})", f"{_LINEAR}(step)"),
    "stateful-schedule": ("HalvedSchedule()", "0.5 ** (step + 1)"),
}
_MASK = "lambda tree: jtu.tree_map(lambda leaf: leaf.ndim > 0, tree)"
# Factories, their numbers, and arguments that are not: a function, a bool and `None`.
_FACTORIES: Sequence[tuple[str, tuple[str, ...], Mapping[str, str]]] = (
    ("sgd", ("learning_rate", "momentum"), {"nesterov": "True"}),
    ("adam", ("learning_rate", "b1", "b2", "eps"), {"nesterov": "True", "mu_dtype": "None"}),
    ("adamw", ("learning_rate", "b2", "weight_decay"), {"mask": _MASK}),
    ("add_decayed_weights", ("weight_decay",), {"mask": _MASK}),
    ("lion", ("learning_rate", "b1", "b2"), {"mask": _MASK, "mu_dtype": "None"}),
    ("rmsprop", ("learning_rate", "decay", "eps"), {"centered": "True"}),
    ("trace", ("decay",), {"nesterov": "True"}),
    ("scale", ("step_size",), {}),
)
_FLOATS = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features)
_DTYPES = ("jnp.float32", "jnp.bfloat16", "jnp.float16", "'float16'", "np.dtype(np.float32)")


@st.composite
def _hyperparameters(draw: st.DrawFn, schedules: bool) -> Recipe:
    scope = Scope()
    scope.define(_HALVED)
    draw_parameters(draw, scope, leaves=_FLOATS, some=True)
    scope.bind("grads", GRADIENTS)
    name, numbers, others = _FACTORIES[draw(st.integers(0, len(_FACTORIES) - 1))]
    scope.note(f"case:{name}")
    scope.bind("factory", f"optax.{name}")
    given, at, scheduled, forms = {}, {}, [], {}
    for number in numbers:
        form = draw(st.sampled_from((*_NUMBERS, *(_SCHEDULES if schedules else ()))))
        forms[number] = form
        if form in _NUMBERS:
            given[number] = at[number] = _NUMBERS[form]
        else:
            given[number], at[number] = _SCHEDULES[form]
            scheduled.append(number)
    chosen = [one for one in others if draw(st.booleans())]
    given |= {one: others[one] for one in chosen}
    at |= {one: others[one] for one in chosen}
    # Functions must be static, and others may be.
    static = [one for one in chosen if others[one] == _MASK or draw(st.booleans())]
    static += [one for one in numbers if one not in scheduled and draw(st.integers(0, 4)) == 0]
    scope.note(*(f"given:{form}" for name, form in forms.items() if name not in static))
    scope.bind("given", _written(given))
    scope.bind("at", f"lambda step: {_written(at)}")
    scope.bind("numbers", repr([one for one in numbers if one not in static]))
    scope.bind("fixed", repr([one for one in numbers if one not in (*static, *scheduled)]))
    scope.bind("others", repr([*static, *(one for one in chosen if one not in static)]))
    scope.bind("static", _statics(draw, static))
    dtype = draw(st.sampled_from(_DTYPES))
    scope.note("dtype:float32" if "float32" in dtype else "dtype:half")
    scope.bind("dtype", dtype)
    return scope.recipe()


def _written(arguments: Mapping[str, str]) -> str:
    return f"dict({', '.join(f'{name}={text}' for name, text in arguments.items())})"


def _statics(draw: st.DrawFn, names: Sequence[str]) -> str:
    """Write the names as a string, or as a collection of any type."""
    if len(names) == 1 and draw(st.booleans()):
        return repr(names[0])
    form = draw(st.sampled_from(("tuple({})", "{}", "set({})", "frozenset({})", "iter({})")))
    return form.format([*names])


def hyperparameters(*, schedules: bool = True) -> st.SearchStrategy[Recipe]:
    """Draw `params`, `grads`, a `factory` and the arguments `given` to it.

    Also `at`, which maps a step to the arguments with the numbers of the schedules, the names
    `numbers` of hyperparameters and `fixed` of those without a schedule, the names `others` of
    other arguments, those for `static` and a `dtype`.

    Args:
        schedules: some numbers are schedules; default `True`.
    """
    return probe_first(sources, _hyperparameters(schedules))


@st.composite
def wrapped_schedules(draw: st.DrawFn) -> Recipe:
    """Draw a `schedule`, and the keyword arguments `extra` of an update."""
    scope = Scope()
    plain = (
        _LINEAR,
        "lambda count: 0.5 / (count + 1)",
        "optax.constant_schedule(0.25)",
        "optax.piecewise_constant_schedule(1.0, {1: 0.5, 3: 0.5})",
        "optax.cosine_decay_schedule(1.0, 3)",
        "optax.join_schedules([optax.constant_schedule(0.5), optax.constant_schedule(2.0)], [2])",
        "lambda count: {'rate': count * 2, 'pair': (count, None)}",
    )
    scope.bind("schedule", draw(st.sampled_from(plain)))
    extra = ("{}", "{'value': 1.0}", "{'count': 7, 'x': None}", "{'value': jnp.float32(1.0)}")
    scope.bind("extra", draw(st.sampled_from(extra)))
    scope.bind("steps", str(draw(st.integers(0, 4))))
    return scope.recipe()


# Dtypes of parameters, of which no one may be converted to another, and dtypes of two.
_PARAMETERS_OF = ("float32", "bfloat16", "float16", "int32", "uint8", "bool", "complex64")
_ROUNDED: Mapping[str, tuple[str, str]] = {
    **{name: (text, text) for name, text in _NUMBERS.items() if name != "numpy-scalar"},
    **_SCHEDULES,
}


# Forms that are or give arrays that are not weakly typed.
_STRONG = ("array", "schedule", "wrapped-schedule", "stateful-schedule")


@st.composite
def hyperparameters_beside_dtypes(
    draw: st.DrawFn, *, floating: bool = False, arrays: bool = False
) -> Recipe:
    """Draw `params` of any dtypes, and `tx`, `inject_hyperparams` of `sgd` with a `rate`.

    `rate` is the learning rate of the first step, and `grads` are gradients like `params`.

    Args:
        floating: all parameters are of one real floating dtype; default `False`.
        arrays: the rate is an array of some floating dtype, and there are floating parameters;
            default `False`.
    """
    scope = Scope()
    scope.define(_HALVED)
    floating = floating or arrays
    names = draw(st.lists(st.sampled_from(_PARAMETERS_OF), max_size=3))
    if floating:
        names = [draw(st.sampled_from(_PARAMETERS_OF[:3]))] * draw(st.integers(1, 3))
    leaves = [f"jnp.ones({place}, jnp.{name})" for place, name in enumerate(names, 1)]
    scope.bind("params", f"{{'a': None, 'b': [{', '.join(leaves)}]}}")
    scope.bind("grads", GRADIENTS)
    floats = {one for one in names if "float" in one or "complex" in one}
    scope.note(*(f"params:{one}" for one in names))
    scope.note(*["params:half"] * (floats <= {"float16", "bfloat16"} and bool(floats)))
    scope.note(*["params:no-floats"] * (bool(names) and not floats))
    scope.note(*["params:float16-and-bfloat16"] * ({"float16", "bfloat16"} <= floats))
    scope.note(*["params:no-float-first"] * (bool(names) and names[0] not in floats))
    form = "array" if arrays else draw(st.sampled_from(tuple(_ROUNDED)))
    scope.note(f"given:{form}", *["given:strong"] * (form in _STRONG))
    given, rate = _ROUNDED[form]
    if arrays:
        dtype = draw(st.sampled_from(_PARAMETERS_OF[:3]))
        given = rate = f"jnp.asarray(0.25, jnp.{dtype})"
        scope.note(*["given:other-dtype"] * (dtype not in names))
    scope.bind("rate", rate.replace("step", "0"))
    factory = draw(st.sampled_from(("sgd", "scale"))) if floating else "sgd"
    name = "step_size" if factory == "scale" else "learning_rate"
    scope.bind("name", repr(name))
    scope.bind("tx", f"optax.inject_hyperparams(optax.{factory})({name}={given})")
    return scope.recipe()
