"""Arguments that are addressed by number or by name, static or donated, as text."""

from __future__ import annotations

from hypothesis import strategies as st

from .recipe import Recipe, Scope
from .signatures import ENDS

_NAMES = (("x", "y", "z", "w"), ("fun", "f", "args", "kwargs"), ("z", "key", "self", "a"))
_ARRAY = "jax.device_put(np.float32([1.0, {number}.0]))"
_TEXTS = ("'on'", "'off'", "'other'", "'longer'")


@st.composite
def addressed(draw: st.DrawFn, prefix: str) -> Recipe:
    """Draw a `function`, the arguments `args` and `named` of a call, and `options`.

    The options say which arguments are meant; `meant` holds the names of those. The function has
    three parameters, each of which can be given by position or by name, and one that only a name
    can give. Features: `address:numbers`, `address:names`, `address:both`, `address:negative`,
    `address:unsorted`, `address:made-at-run-time`, `given:name`, and
    `given:first-by-name` if all are given by name.

    Args:
        prefix: `"static"` or `"donate"`: options are called `<prefix>_argnums` and
            `<prefix>_argnames`, and static arguments are texts.
    """
    scope = Scope()
    scope.define(*ENDS)
    names = draw(st.sampled_from(_NAMES))
    kind = draw(st.sampled_from(("numbers", "names", "both")))
    meant = draw(st.lists(st.sampled_from(names[:3]), min_size=1, max_size=3, unique=True))
    by_position = draw(st.integers(0, 3))
    if kind != "numbers" and draw(st.booleans()):
        meant.append(names[3])
    # Where both are given, each names only what is given so.
    numbered = {"numbers": meant, "names": [], "both": meant[:1]}[kind]
    if kind == "both":
        by_position = max(by_position, names.index(meant[0]) + 1)
        numbered = [one for one in meant if one in names[:by_position]]
    called = [one for one in meant if one not in numbered]
    scope.note(f"address:{kind}", f"names:{names[0]}", *(["given:name"] if by_position < 3 else []))
    scope.note(*(["given:first-by-name"] if by_position == 0 else []))
    # What a negative number counts back from is clear only if all arguments come by position.
    negative = by_position == 3 and names[3] not in meant and draw(st.booleans())
    options = _numbers(draw, scope, prefix, names, numbered, negative=negative) + _called(
        draw, scope, prefix, called
    )
    parameters = names[:3] if negative else names
    values = {
        name: _TEXTS[place] if prefix == "static" and name in meant else _ARRAY.format(number=place)
        for place, name in enumerate(parameters)
    }
    named = draw(st.permutations(parameters[by_position:]))
    by_name_alone = "" if negative else f", *, {names[3]}"
    totals = ", ".join(f"signed_total({name})" for name in parameters)
    scope.bind("function", f"lambda {', '.join(names[:3])}{by_name_alone}: [{totals}]")
    scope.bind("args", f"({''.join(f'{values[name]}, ' for name in names[:by_position])})")
    scope.bind("named", f"{{{', '.join(f'{name!r}: {values[name]}' for name in named)}}}")
    scope.bind("options", f"dict({', '.join(options)})")
    scope.bind("names", repr(parameters))
    scope.bind("meant", repr(sorted(meant)))
    return scope.recipe()


def _numbers(
    draw: st.DrawFn,
    scope: Scope,
    prefix: str,
    names: tuple[str, ...],
    numbered: list[str],
    *,
    negative: bool,
) -> list[str]:
    """Write which arguments are meant by number."""
    if not numbered:
        return []
    places = [names.index(one) for one in numbered]
    if places != sorted(places):
        scope.note("address:unsorted")
    if negative:
        places = [place - 3 if draw(st.booleans()) else place for place in places]
        scope.note(*(["address:negative"] if min(places) < 0 else []))
    if len(places) == 1 and draw(st.booleans()):
        return [f"{prefix}_argnums={places[0]}"]
    kind = draw(st.sampled_from(("tuple", "list")))
    return [f"{prefix}_argnums={kind}({places})"]


def _called(draw: st.DrawFn, scope: Scope, prefix: str, called: list[str]) -> list[str]:
    """Write which arguments are meant by name; some names are strings that no source holds."""
    if not called:
        return []
    texts = [repr(one) for one in called]
    if draw(st.booleans()):
        texts = [f"''.join({list(one)})" for one in called]
        scope.note("address:made-at-run-time")
    if len(texts) == 1 and draw(st.booleans()):
        return [f"{prefix}_argnames={texts[0]}"]
    return [f"{prefix}_argnames=[{', '.join(texts)}]"]
