"""Functions that show another signature than they have, in `__wrapped__` or `__signature__`.

A wrapper may take more arguments than what it wraps, or fewer, or under other names. Features:
`shown:alike` where both signatures accept the same calls, `shown:fewer` where the shown one has
fewer parameters than a call gives arguments, `shown:moved` where it takes the call but for other
parameters, and else `shown:other`.
"""

from __future__ import annotations

from collections.abc import Sequence

from .signatures import Signature

_INSPECT = "import inspect"
_SHOWN = """\
class SignedOtherwise:
    def __init__(self, end, shown):
        self.end = end
        self.__signature__ = inspect.signature(shown)

    def __call__(self, *given, **named):
        return self.end(*given, *named.values())
"""


def _wraps(
    trait: str,
    name: str,
    shown: str,
    text: str,
    *,
    more: int = 0,
    named: tuple[str, ...] = (),
    given: int = 2,
) -> Signature:
    """Return the form of a function that wraps another one, whose parameters are shown."""
    wrapper = f"functools.wraps({shown}: None)({text})"
    traits = (f"shown:{trait}", *(("arguments:by-name",) if named else ()))
    return Signature(f"wraps-{name}", wrapper, more=more, named=named, given=given, traits=traits)


_TWO = "lambda first, second: $0(first, second)"
_THREE = "lambda first, second, third=2.0: $0(first, second, third)"
# Libraries refuse some of the names that others get, which other laws ask.
_NAMED = "lambda first, extra: $0(first, extra)"
_BY_NAME = "lambda first, second, *, third=2.0: $0(first, second, third)"
_w = _wraps
WRAPPED: Sequence[Signature] = (
    _w("alike", "same", "lambda first, second", _TWO),
    _w("alike", "any", "lambda *rest, **named", _TWO),
    _w("alike", "other-default", "lambda first, second, third=7.0", _THREE),
    _w("fewer", "nothing", "lambda", _TWO),
    _w("fewer", "one-less", "lambda first", _TWO),
    _w("fewer", "without-third", "lambda first, second", _THREE, more=1),
    _w("fewer", "variadic", "lambda first", "lambda *rest: $0(*rest)", more=1),
    _w("other", "one-more", "lambda third, first, second", _TWO),
    _w("other", "keyword", "lambda first, *, second", _TWO),
    _w("other", "no-default", "lambda first, second, third", _THREE),
    _w("other", "without-keyword", "lambda first, second", _BY_NAME, named=("third",)),
    _w("other", "renamed", "lambda one, other", _NAMED, given=1, named=("extra",)),
    _w("other", "positional-only", "lambda first, extra, /", _NAMED, given=1, named=("extra",)),
    _w("other", "swapped", "lambda extra, first", _NAMED, given=1, named=("extra",)),
    _w(
        "moved",
        "reordered",
        "lambda first, more, extra=2.0",
        "lambda first, extra=2.0, more=3.0: $0(first, extra, 3 * more)",
        given=1,
        named=("more",),
    ),
    Signature(
        "shows-one",
        "SignedOtherwise($0, lambda first: None)",
        definitions=(_INSPECT, _SHOWN),
        traits=("shown:fewer",),
    ),
)
