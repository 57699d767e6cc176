"""Calls of functions with static arguments through each transform that takes them, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.signatures import ENDS
from hypothesis_pytrees.core.ways import way

_VECTOR = "jax.device_put(np.float32([1.0, {number}.0]))"
_TEXTS = ("'on'", "'off'", "'longer'", "'longest'")
_ROWS = """\
def statics_in_rows(values):
    return [value if isinstance(value, str) else value[None] for value in values]
"""
_EVALUATED = """\
def statics_evaluated(made, args, named):
    closed, shapes = made
    values = [value for value in (*args, *named.values()) if not isinstance(value, str)]
    leaves = jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *jtu.tree_leaves(values))
    return jtu.tree_unflatten(jtu.tree_structure(shapes), leaves)
"""
_RULES = """\
def statics_with_jvp(lib, function, numbers):
    custom = lib.custom_jvp(function, nondiff_argnums=numbers)
    custom.defjvp(lambda *given: None)
    return custom


def statics_with_vjp(lib, function, numbers):
    custom = lib.custom_vjp(function, nondiff_argnums=numbers)
    custom.defvjp(lambda *given: None, lambda *given: None)
    return custom
"""
_CALL = "(*args, **named)"
# Each gives what the function gives; those which say that they take positional arguments get no
# others.
STATIC_WAYS: Sequence[Kind] = (
    way("jit", f"lib.jit(function, static_argnums=numbers){_CALL}"),
    way("jit-traced", f"lib.jit(function, static_argnums=numbers).trace{_CALL}.lower().compile()"
        "(*[value for value in args if not isinstance(value, str)], "
        "**{name: value for name, value in named.items() if not isinstance(value, str)})"),
    way("checkpoint", f"lib.checkpoint(function, static_argnums=numbers){_CALL}"),
    way(
        "checkpoint-in-jit",
        "lib.jit(lib.checkpoint(function, static_argnums=numbers), static_argnums=numbers)"
        f"{_CALL}",
    ),
    way(
        "jaxpr",
        "statics_evaluated("
        f"lib.make_jaxpr(function, static_argnums=numbers, return_shape=True){_CALL}, args, named)",
        _EVALUATED,
    ),
    way("custom-jvp", f"statics_with_jvp(lib, function, several){_CALL}", _RULES),
    way("custom-vjp", f"statics_with_vjp(lib, function, several){_CALL}", _RULES),
    way(
        "pmap",
        "jtu.tree_map(lambda leaf: leaf[0], "
        "lib.pmap(function, static_broadcasted_argnums=numbers)(*statics_in_rows(args)))",
        _ROWS,
    ),
)  # fmt: skip
# No document says what a negative number means here.
_UNSIGNED = {"way:custom-jvp", "way:custom-vjp", "way:pmap"}
_POSITIONAL = {"way:pmap", "way:jaxpr", "way:jit-traced"}


@st.composite
def static_calls(draw: st.DrawFn) -> Recipe:
    """Bind `run`, which calls a function of a library with static texts, and `wanted`.

    The function has three parameters, of which one or two are static. `numbers` says which: one
    integer or several, of any type. Features: `static:negative`, `static:numpy`, `static:by-name`,
    `static:default` if one is left to its default, `static:unsorted`, `numbers:list`,
    `self:by-name` for an argument called `self`.
    """
    scope = Scope()
    scope.define(*ENDS)
    drawn = draw(st.sampled_from(available(STATIC_WAYS)))
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    static = draw(st.lists(st.sampled_from((0, 1, 2)), min_size=1, max_size=2, unique=True))
    scope.note(*(["static:unsorted"] if static != sorted(static) else []))
    positional = bool(_POSITIONAL & set(drawn.features)) or draw(st.booleans())
    by_position = 3 if positional else draw(st.integers(0, 2))
    defaults = 0
    if by_position < 3:
        while 3 - defaults > by_position and 2 - defaults in static and draw(st.booleans()):
            defaults += 1
    values = [_TEXTS[at] if at in static else _VECTOR.format(number=at) for at in range(3)]
    names = draw(st.sampled_from((("x", "y", "z"), ("f", "args", "mode"), ("self", "f", "b"))))
    named = draw(st.permutations(range(by_position, 3 - defaults)))
    scope.note(*(["static:default"] if defaults else []))
    scope.note(*(["static:by-name"] if set(named) & set(static) else []))
    scope.note(*(["self:by-name"] if names[0] == "self" and 0 in named else []))
    parameters = [f"{name}={values[at]}" if at >= 3 - defaults else name
                  for at, name in enumerate(names)]  # fmt: skip
    totals = ", ".join(f"signed_total({name})" for name in names)
    scope.bind("function", f"lambda {', '.join(parameters)}: [{totals}]")
    scope.bind("args", f"({''.join(f'{value}, ' for value in values[:by_position])})")
    scope.bind("named", f"{{{', '.join(f'{names[at]!r}: {values[at]}' for at in named)}}}")
    # From where a negative number counts is clear only if all arguments come by position.
    negative = by_position == 3 and not _UNSIGNED & set(drawn.features)
    texts = [_integer(draw, scope, at, negative=negative) for at in static]
    scope.bind("several", f"({', '.join(texts)},)")
    one = len(texts) == 1 and draw(st.booleans())
    numbers = texts[0] if one else draw(st.sampled_from(("several", "list(several)")))
    scope.note(*(["numbers:list"] if numbers.startswith("list") else []))
    scope.bind("numbers", numbers)
    scope.bind("run", f"lambda lib: {drawn.template}")
    return scope.recipe()


def _integer(draw: st.DrawFn, scope: Scope, place: int, *, negative: bool) -> str:
    """Write the number of an argument."""
    negative = negative and draw(st.booleans())
    kind = draw(st.sampled_from(("{}", "{}", "np.int64({})")))
    scope.note(*(["static:negative"] if negative else []))
    scope.note(*(["static:numpy"] if "np." in kind else []))
    return kind.format(place - 3 if negative else place)
