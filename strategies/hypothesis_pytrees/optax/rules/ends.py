"""Schedules with the values at their beginning, their peak and their end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope

_VALUES = (0.5, 0.0, 2.0, -1.0, 0.001)
_LATER = 5
Points = Sequence[tuple[int, float]]
# The text of a schedule, and its value at some steps.
Drawn = tuple[str, Points]


def _value(draw: st.DrawFn) -> float:
    return draw(st.sampled_from(_VALUES))


def _length(draw: st.DrawFn, least: int = 1) -> int:
    return draw(st.integers(least, 6))


def _begin(draw: st.DrawFn) -> int:
    """Draw the step at which something begins, which is the first one in a third of the cases.

    Three schedules document that it "must be positive", and have 0 as the default.
    """
    return draw(st.sampled_from((0, 3, 5, 0, 1, 4)))


def _constant(draw: st.DrawFn, scope: Scope) -> Drawn:
    value = _value(draw)
    return f"optax.constant_schedule({value})", [(0, value), (_LATER, value)]


def _ramp(init: float, end: float, begin: int, length: int) -> Points:
    # "If transition_steps <= 0, ... the value is held fixed at init_value."
    last = end if length else init
    return [(0, init), (begin, init), (begin + length, last), (begin + length + _LATER, last)]


def _polynomial(draw: st.DrawFn, scope: Scope) -> Drawn:
    init, end, begin, length = _value(draw), _value(draw), _begin(draw), _length(draw, 0)
    power = draw(st.sampled_from((1.0, 2.0)))
    text = f"optax.polynomial_schedule({init}, {end}, {power}, {length}, {begin})"
    return text, _ramp(init, end, begin, length)


def _linear(draw: st.DrawFn, scope: Scope) -> Drawn:
    init, end, begin, length = _value(draw), _value(draw), _begin(draw), _length(draw, 0)
    return f"optax.linear_schedule({init}, {end}, {length}, {begin})", _ramp(
        init, end, begin, length
    )


def _decay(draw: st.DrawFn, init: float, first: int) -> tuple[str, Points]:
    """Draw the arguments of an exponential decay, and its points from the step `first` on."""
    rate, begin, length = draw(st.sampled_from((0.5, 0.25))), _begin(draw), _length(draw)
    options = draw(st.sampled_from(("", ", staircase=True", ", end_value=-9.0")))
    start = first + begin
    points = [(first, init), (start, init), (start + length, init * rate)]
    return f"{length}, {rate}, {begin}{options}", points


def _exponential(draw: st.DrawFn, scope: Scope) -> Drawn:
    init = _value(draw)
    arguments, points = _decay(draw, init, 0)
    return f"optax.exponential_decay({init}, {arguments})", points


def _cosine(draw: st.DrawFn, scope: Scope) -> Drawn:
    init, length = _value(draw), _length(draw)
    alpha, exponent = draw(st.sampled_from((0.0, 0.25, 1.0))), draw(st.sampled_from((1.0, 2.0)))
    text = f"optax.cosine_decay_schedule({init}, {length}, {alpha}, {exponent})"
    return text, [(0, init), (length, alpha * init), (length + _LATER, alpha * init)]


def _pieces(draw: st.DrawFn, scope: Scope, init: float) -> tuple[str, Points]:
    first = _begin(draw)
    second = first + _length(draw)
    scope.note(*["boundary:zero"] * (first == 0))
    factors = [draw(st.sampled_from((0.5, 2.0, 0.0))) for _ in range(2)]
    then = init * factors[0]
    last = then * factors[1]
    points = [(first, then), (second, last), (second + _LATER, last)]
    # The factor of a boundary at step 0 holds from the beginning.
    points = [(0, init), *points] if first else points
    # The order of the boundaries in the dict does not matter. At a boundary its factor holds, which
    # Optax 0.2.4 does too, though it documents "b_i < s".
    return f"{{{second}: {factors[1]}, {first}: {factors[0]}}}", points


def _piecewise_constant(draw: st.DrawFn, scope: Scope) -> Drawn:
    init = _value(draw)
    pieces, points = _pieces(draw, scope, init)
    (first, then), (second, _), _ = points[-3:]
    before = [(second - 1, then), *[(first - 1, init)] * (first > 0)]
    return f"optax.piecewise_constant_schedule({init}, {pieces})", [*points, *before]


def _piecewise_interpolate(draw: st.DrawFn, scope: Scope) -> Drawn:
    init, kind = _value(draw), draw(st.sampled_from(("linear", "cosine")))
    pieces, points = _pieces(draw, scope, init)
    # At a boundary of 0, the starting value and the boundary each say what the first value is.
    points = points[1:] if points[0] != (0, init) else points
    return f"optax.piecewise_interpolate_schedule({kind!r}, {init}, {pieces})", points


def _cycle(draw: st.DrawFn, scope: Scope, name: str, last: bool) -> Drawn:
    # A cycle that does not rise begins at its peak.
    peak, start = _value(draw), draw(st.sampled_from((0.25, 0.5, 0.0)))
    scope.note(*["boundary:zero"] * (start == 0))
    text = f"{name}(20, {peak}, {start}, div_factor=4.0, final_div_factor=8.0)"
    points = [*[(0, peak / 4)] * (start > 0), (int(20 * start), peak)]
    end = peak / 4 / 8
    return text, [*points, (20, end), (20 + _LATER, end)] if last else points


def _linear_cycle(draw: st.DrawFn, scope: Scope) -> Drawn:
    # Its documentation names two values for the end, as the pull request 1781 of Optax says.
    return _cycle(draw, scope, "optax.linear_onecycle_schedule", False)


def _cosine_cycle(draw: st.DrawFn, scope: Scope) -> Drawn:
    return _cycle(draw, scope, "optax.cosine_onecycle_schedule", True)


def _warmup_constant(draw: st.DrawFn, scope: Scope) -> Drawn:
    init, peak, warm = _value(draw), _value(draw), _length(draw)
    return f"optax.warmup_constant_schedule({init}, {peak}, {warm})", [
        *((0, init), (warm, peak), (warm + _LATER, peak))
    ]


def _warmed(draw: st.DrawFn, scope: Scope, first: int, ends: bool) -> tuple[str, Points, int]:
    """Draw a warmup and a cosine decay that begin at a step, and return the step of the end."""
    init, peak, end = (_value(draw) for _ in range(3))
    warm, length = _length(draw), _length(draw)
    scope.note(*["peak:zero"] * (peak == 0 and end != 0 and ends))
    text = f"{init}, {peak}, {warm}, {warm + length}, {end}, exponent={_exponent(draw)}"
    last = first + warm + length
    rest = [(last, end), (last + _LATER, end)] if ends else []
    return text, [(first, init), (first + warm, peak), *rest], last


def _exponent(draw: st.DrawFn) -> float:
    return draw(st.sampled_from((1.0, 2.0)))


def _warmup_cosine(draw: st.DrawFn, scope: Scope) -> Drawn:
    arguments, points, _ = _warmed(draw, scope, 0, True)
    return f"optax.warmup_cosine_decay_schedule({arguments})", points


def _warmup_exponential(draw: st.DrawFn, scope: Scope) -> Drawn:
    init, peak, warm = _value(draw), _value(draw), _length(draw)
    arguments, points = _decay(draw, peak, warm)
    return f"optax.warmup_exponential_decay_schedule({init}, {peak}, {warm}, {arguments})", [
        *((0, init), *points)
    ]


_NAMED = ("init_value", "peak_value", "warmup_steps", "decay_steps", "end_value")


def _restarts(draw: st.DrawFn, scope: Scope) -> Drawn:
    texts, points, first = [], [], 0
    count = draw(st.integers(1, 3))
    for place in range(count):
        arguments, found, first = _warmed(draw, scope, first, place == count - 1)
        *given, exponent = arguments.split(", ")
        pairs = zip(_NAMED, given, strict=True)
        texts.append(f"dict({', '.join(f'{key}={text}' for key, text in pairs)}, {exponent})")
        points += found
    return f"optax.sgdr_schedule([{', '.join(texts)}])", points


def _joined(draw: st.DrawFn, scope: Scope) -> Drawn:
    texts, points, bounds, first = [], [], [], 0
    for _ in range(draw(st.integers(1, 3))):
        init, end, length = _value(draw), _value(draw), _length(draw)
        texts.append(f"optax.linear_schedule({init}, {end}, {length})")
        points.append((first, init))
        first += length
        bounds.append(first)
    # The last one goes on to its end.
    return f"optax.join_schedules([{', '.join(texts)}], {bounds[:-1]})", [*points, (first, end)]


_ENDS: Mapping[str, Callable[[st.DrawFn, Scope], Drawn]] = {
    "optax.constant_schedule": _constant,
    "optax.polynomial_schedule": _polynomial,
    "optax.linear_schedule": _linear,
    "optax.exponential_decay": _exponential,
    "optax.cosine_decay_schedule": _cosine,
    "optax.piecewise_constant_schedule": _piecewise_constant,
    "optax.piecewise_interpolate_schedule": _piecewise_interpolate,
    "optax.linear_onecycle_schedule": _linear_cycle,
    "optax.cosine_onecycle_schedule": _cosine_cycle,
    "optax.warmup_constant_schedule": _warmup_constant,
    "optax.warmup_cosine_decay_schedule": _warmup_cosine,
    "optax.warmup_exponential_decay_schedule": _warmup_exponential,
    "optax.sgdr_schedule": _restarts,
    "optax.join_schedules": _joined,
}


@st.composite
def ends_of_schedules(draw: st.DrawFn) -> Recipe:
    """Draw `schedule`, and `points`, pairs of a step and the value that is documented for it."""
    scope = Scope()
    present = tuple(name for name in _ENDS if names.has(name))
    name = draw(st.sampled_from(present))
    scope.note(f"schedule:{name.removeprefix('optax.')}")
    text, points = _ENDS[name](draw, scope)
    scope.bind("schedule", text)
    scope.bind("points", repr(list(points)))
    return scope.recipe()
