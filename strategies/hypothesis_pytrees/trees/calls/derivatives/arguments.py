"""Functions of several trees, and which arguments their derivatives are taken of, as text."""

from __future__ import annotations

from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import COMPILED, FORMS, draw_form, way
from hypothesis_pytrees.trees.positions import names_of

from .ways import NUMBER, REAL, TOTAL, asks_for_a_number, bind_derivative, number_tree

_RULE = """\
def derivable_rule(place):
    def rule(tangent, result, *args):
        function = lambda one: derivable_number(*args[:place], one, *args[place + 1 :])
        return jax.jvp(function, (args[place],), (tangent,))[1]

    return rule
"""
# What a function gives for the number that it computes.
_RESULTS = (
    "number",
    "number * jnp.float32([1, 2])",
    "[number, {'a': jnp.stack([number, -number])}]",
)
# How an argument is named; each is an integer by `operator.index`.
_INTEGER_TYPES = ("{0}", "np.int64({0})", "np.int32({0})", "np.array([{0}])[0]")


@st.composite
def by_arguments(draw: st.DrawFn, ways: Sequence[Kind]) -> Recipe:
    """Bind `function` of three trees, `args`, `argnums`, and the same as one argument.

    `whole` is a function of `chosen`, the arguments that `argnums` names: a tuple if that is a
    sequence. `derive` gives a transformation of a library. The function may be a partial object,
    a bound method, a compiled function and such. Features: `argnums:numpy`,
    `argnums:sequence`, `argnums:one` for a sequence of one, `argnums:unsorted`,
    `argnums:negative`, `chosen:leafless` if one of the named arguments has no leaves.

    Args:
        ways: the transformations, as text that names `lib`.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(ways)))
    bind_derivative(scope, drawn)
    trees = [number_tree(draw, scope, REAL, 2) for _ in range(3)]
    scope.bind("args", f"({', '.join(trees)})")
    several = draw(st.booleans())
    most = 3 if several else 1
    places = draw(st.lists(st.sampled_from((0, 1, 2)), min_size=1, max_size=most, unique=True))
    if places != sorted(places):
        scope.note("argnums:unsorted")
    chosen = [names_of(scope)["args"][place] for place in places]
    if not all(jtu.tree_leaves(one) for one in chosen):
        scope.note("chosen:leafless")
    if not jtu.tree_leaves(chosen):
        # A derivative with respect to nothing at all is another matter.
        scope.rebind("args", "tuple([tree, np.float32(2.0)] for tree in args)")
        scope.features.discard("chosen:leafless")
    scope.bind("argnums", _numbers(draw, scope, places, several=several))
    scope.bind("options", "dict(argnums=argnums)")
    parts = [f"args[{place}]" for place in places]
    inside = [
        f"chosen[{places.index(place)}]" if place in places else f"args[{place}]"
        for place in range(3)
    ]
    if "argnums:sequence" in scope.features:
        scope.bind("chosen", f"({', '.join(parts)},)")
    else:
        scope.bind("chosen", parts[0])
        inside = ["chosen" if place in places else f"args[{place}]" for place in range(3)]
    result = _RESULTS[0] if asks_for_a_number(drawn) else draw(st.sampled_from(_RESULTS))
    scope.note(*(["result:tree"] if result.startswith("[") else []))
    scope.bind("function", f"lambda *trees: (lambda number: {result})(derivable_number(*trees))")
    scope.bind("whole", f"lambda chosen: function({', '.join(inside)})")
    form = draw_form(draw, scope, "function", (*FORMS, COMPILED, COMPILED))
    if form != "function":
        scope.rebind("function", form)
    return scope.recipe()


def _numbers(draw: st.DrawFn, scope: Scope, places: Sequence[int], *, several: bool) -> str:
    """Write the numbers of arguments: one, or a sequence of them."""
    texts = []
    # Half of the sequences hold nothing but integers of Python.
    types = draw(st.sampled_from((_INTEGER_TYPES[:1], _INTEGER_TYPES)))
    for place in places:
        kind = draw(st.sampled_from(types))
        negative = draw(st.integers(0, 3)) == 0
        scope.note(*(["argnums:numpy"] if "np." in kind else []))
        scope.note(*(["argnums:negative"] if negative else []))
        texts.append(kind.format(place - 3 if negative else place))
    if not several:
        return texts[0]
    scope.note("argnums:sequence", *(["argnums:one"] if len(texts) == 1 else []))
    return f"{draw(st.sampled_from(('tuple', 'list')))}([{', '.join(texts)}])"


@st.composite
def rules_by_argument(draw: st.DrawFn) -> Recipe:
    """Bind `function` of some trees, `args`, and `rules`, one for each argument or None.

    `known` says which arguments have a rule. Feature: `rules:none` if none has one.
    """
    scope = Scope()
    scope.define(TOTAL, NUMBER)
    count = draw(st.integers(1, 3))
    floats = REAL[:3]
    trees = [f"[{number_tree(draw, scope, floats, 2)}, np.float32(2.0)]" for _ in range(count)]
    scope.bind("args", f"({', '.join(trees)},)")
    known = [draw(st.booleans()) for _ in range(count)]
    scope.note(*([] if any(known) else ["rules:none"]))
    scope.bind("known", repr(known))
    scope.bind("function", "derivable_number")
    rules = [f"derivable_rule({at})" if has else "None" for at, has in enumerate(known)]
    scope.bind("rules", f"[{', '.join(rules)}]")
    scope.define(_RULE)
    return scope.recipe()


# Numbers that a function is called with, of one type or of several.
_NUMBERS = (
    ("1", "3"),
    ("0.5", "2.0"),
    ("1", "-2", "0.5", "True", "np.float32(2.0)", "np.int32(3)"),
)
_OF_NUMBERS = (
    "lambda *numbers: sum(numbers)",
    "lambda *numbers: {'twice': [number * 2 for number in numbers], 'none': None}",
    "lambda *numbers: (numbers, jnp.asarray(numbers[0]))",
)
_RULED: Sequence[Kind] = (
    # Nothing is differentiated, so that no rule may run; these would give something else.
    way("custom-jvp", "custom.defjvp(lambda primals, slopes: (None, None))"),
    way(
        "custom-vjp",
        "custom.defvjp(lambda *numbers: (None, numbers), lambda numbers, slopes: None)",
    ),
)


@st.composite
def numbers_to_ruled_functions(draw: st.DrawFn) -> Recipe:
    """Bind `function` of some `numbers`, and `ruled`, the function of a library with its rule."""
    scope = Scope()
    drawn = draw(st.sampled_from(_RULED))
    scope.note(*drawn.features)
    types = draw(st.sampled_from(_NUMBERS))
    numbers = draw(st.lists(st.sampled_from(types), min_size=1, max_size=3))
    scope.bind("numbers", f"({', '.join(numbers)},)")
    scope.bind("function", draw(st.sampled_from(_OF_NUMBERS)))
    name = "custom_jvp" if drawn is _RULED[0] else "custom_vjp"
    made = f"(lambda custom: ({drawn.template}, custom)[1])(lib.{name}(function))"
    scope.bind("ruled", f"lambda lib: {made}")
    return scope.recipe()
