"""Functions that make a transformation from numbers, of every form of signature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .params import GRADIENTS, PARAMETERS, draw_parameters, sources

_WEIGHED = """\
def weighed(*numbers, **named):
    each = [*numbers, *(named[name] for name in sorted(named))]
    return optax.scale(sum(number / 2**place for place, number in enumerate(each)))
"""
_CLASS = """\
class Weighing:
    def __call__(self, first, second=2.0):
        return weighed(first, second)

    def act(self, first, second=2.0):
        return weighed(first, second)

    @classmethod
    def make(cls, first, second=2.0):
        return weighed(first, second)
"""


class _Form(NamedTuple):
    text: str
    # The fewest and the most positional arguments, the names it takes, and whether it needs them.
    least: int = 1
    most: int = 2
    names: tuple[str, ...] = ()
    all_names: bool = False


_ODD = ("self", "cls", "args", "kwargs", "name", "value", "params", "state", "updates", "count")
_ODD += ("inner_factory", "static_args", "hyperparam_dtype", "learning_rate", "k", "f")
_FORMS: Mapping[str, _Form] = {
    "lambda": _Form("lambda first, second=2.0: weighed(first, second)"),
    "positional-only": _Form("lambda first, second=2.0, /: weighed(first, second)"),
    "keyword-only": _Form(
        "lambda *, first, second: weighed(first, second)", 0, 0, ("first", "second"), True
    ),
    "positionals": _Form("lambda *numbers: weighed(*numbers)", 1, 3),
    "positionals-after-one": _Form("lambda first, *rest: weighed(first, *rest)", 1, 3),
    "keywords": _Form("lambda first, **named: weighed(first, **named)", 1, 1, _ODD),
    "partial": _Form("functools.partial(weighed, 3.0, option=2.0)", 1, 2, ("other", "option")),
    "object": _Form("Weighing()"),
    "method": _Form("Weighing().act"),
    "class-method": _Form("Weighing.make"),
}
_NAMED = "lambda {0}, {1}=2.0: weighed({0}, {1})"
_NUMBERS = ("0.5", "3.0", "-1.5", "1", "np.float32(0.25)", "jnp.float32(2.0)")
_FLOATS = tuple(kind for kind in PARAMETERS if "leaf:bfloat16" not in kind.features)


def factories() -> st.SearchStrategy[Recipe]:
    """Draw `factory`, a function of numbers that returns a transformation, and its arguments.

    These are `args` and `named`; also draw `params` and `grads`.
    """
    return probe_first(sources, _factories())


@st.composite
def _factories(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    draw_parameters(draw, scope, leaves=_FLOATS, some=True)
    scope.bind("grads", GRADIENTS)
    scope.define(_WEIGHED)
    scope.define(_CLASS)
    name = draw(st.sampled_from((*_FORMS, "names")))
    scope.note(f"factory:{name}")
    if name == "names":
        odd = draw(st.lists(st.sampled_from(_ODD), min_size=2, max_size=2, unique=True))
        form = _Form(_NAMED.format(*odd), 0, 0, tuple(odd), True)
    else:
        form = _FORMS[name]
    scope.bind("factory", form.text)
    count = draw(st.integers(form.least, form.most))
    if count > form.least:
        scope.note("factory:optional-arguments")
    numbers = st.sampled_from(_NUMBERS)
    scope.bind("args", f"[{', '.join(draw(numbers) for _ in range(count))}]")
    several = st.lists(st.sampled_from(form.names or ("",)), max_size=3, unique=True)
    chosen = form.names if form.all_names else draw(several) if form.names else []
    if chosen:
        scope.note("factory:named-arguments")
    scope.bind("named", f"{{{', '.join(f'{one!r}: {draw(numbers)}' for one in chosen)}}}")
    return scope.recipe()
