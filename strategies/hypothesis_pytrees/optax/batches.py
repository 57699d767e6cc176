"""Gradients that are clipped: of several examples, in units along axes, or with infinities."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .rules.formulas import UNITS_OF_FIVE_AXES

# No norm of whole numbers is one of these, or its share of a layer: so rounding decides nothing.
_LIMITS = ("np.inf", "0.0", "4.1", "0.37", "10.1", "100.3")
_WHOLE = st.integers(-6, 6).map(float)
_LAYERS = {"(2,)": 2, "(4,)": 4, "(2, 2)": 4, "(3,)": 3, "()": 1, "(1, 5)": 5, "(2, 1, 3)": 6}


@st.composite
def batches(draw: st.DrawFn) -> Recipe:
    """Draw `grads`, a list of arrays with one axis for the examples, and `limit`, a norm.

    The numbers of an example are whole, and all 0 in some.
    """
    scope = Scope()
    rows, layers = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    scope.note(f"layers:{layers}")
    texts = []
    for _ in range(layers):
        shape = draw(st.sampled_from(tuple(_LAYERS)))
        zero = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
        size = _LAYERS[shape]
        numbers = [
            [0.0] * size if none else draw(st.lists(_WHOLE, min_size=size, max_size=size))
            for none in zero
        ]
        texts.append(f"jnp.asarray(np.float32({numbers}).reshape(-1, *{shape}))")
    scope.bind("grads", f"[{', '.join(texts)}]")
    number = draw(st.sampled_from(("{}", "jnp.float32({})", "np.float32({})")))
    scope.bind("limit", number.format(draw(st.sampled_from(_LIMITS))))
    return scope.recipe()


# Axes of arrays with three axes.
_AXES = ("0", "1", "-1", "(0, 1)", "(-1, 0)", "(0, 1, 2)")
_UNITS = st.lists(st.sampled_from(("0.0", "3.0", "-4.0", "0.5", "1e-5")), min_size=12, max_size=12)


@st.composite
def units_to_clip(draw: st.DrawFn) -> Recipe:
    """Draw `params` and `updates`, arrays with three axes, the `axis` of a unit and a `limit`."""
    scope = Scope()
    axis = scope.bind("axis", draw(st.sampled_from(_AXES)))
    scope.note(f"axis:{axis}")
    for name in ("params", "updates"):
        leaves = [f"[{', '.join(draw(_UNITS))}]" for _ in "ab"]
        texts = [f"jnp.asarray(np.float32({leaf}).reshape(2, 3, 2))" for leaf in leaves]
        scope.bind(name, f"{{'a': {texts[0]}, 'b': [None, {texts[1]}]}}")
    scope.bind("limit", draw(st.sampled_from(("0.01", "0.75", "1.0", "5.0"))))
    return scope.recipe()


_SHAPES = (
    *("(4,)", "(1,)", "(2, 3)", "(1, 4)", "(3, 1)", "(2, 3, 2)", "(1, 2, 2)", "(1, 1, 3)"),
    *("(2, 1, 2, 2)", "(1, 2, 1, 2, 2)"),
)


@st.composite
def units_by_rank(draw: st.DrawFn) -> Recipe:
    """Draw an array `x` of any rank up to five."""
    scope = Scope()
    lacks = UNITS_OF_FIVE_AXES.lacking()
    shape = draw(st.sampled_from(_SHAPES[:-1] if lacks else _SHAPES))
    rank = shape.strip("(),").count(",") + (shape != "()")
    row = draw(st.lists(st.sampled_from(("0.0", "3.0", "-4.0", "0.5")), min_size=1, max_size=6))
    scope.bind("x", f"jnp.asarray(np.resize(np.float32([{', '.join(row)}]), {shape}))")
    scope.note(f"rank:{rank}")
    scope.note(
        *["shape:one-long-axis"] * (rank > 1 and sum(n > 1 for n in scope.value("x").shape) < 2)
    )
    return scope.recipe()


_TREES = ("{{'a': {}, 'b': [None, ({}, {})]}}", "[{}, None, ({}, {})]", "({}, [{}], {})")
_NUMBERS = ("0.0", "3.0", "-4.0", "0.5", "np.inf", "-np.inf", "np.nan")


@st.composite
def updates_to_skip(draw: st.DrawFn) -> Recipe:
    """Draw `updates`, a tree of float32 arrays that may hold infinities, and finite `params`.

    Also `step`, a count of updates.
    """
    scope = Scope()
    finite = draw(st.booleans())
    numbers = st.sampled_from(_NUMBERS[:4] if finite else _NUMBERS)
    scope.note("updates:finite" if finite else "updates:any")
    rows = [draw(st.lists(numbers, max_size=3)) for _ in range(3)]
    leaves = [f"jnp.asarray(np.float32([{', '.join(row)}]))" for row in rows]
    scope.bind("updates", draw(st.sampled_from(_TREES)).format(*leaves))
    scope.bind("step", draw(st.sampled_from(("0", "jnp.int32(0)", "jnp.int32(7)"))))
    scope.bind("params", "{'a': jnp.ones(2), 'b': [None, (jnp.float32(3.0), jnp.zeros((0, 3)))]}")
    return scope.recipe()
