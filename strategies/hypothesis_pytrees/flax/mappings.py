"""Nested dicts as text: keys of every sort, empty dicts, and operations on frozen dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

# One sort a dict. Simple sorts first, since draws shrink towards the front.
KEYS: Mapping[str, tuple[str, ...]] = {
    "str": ("'a'", "'b'", "'c'"),
    "int": ("1", "2", "-3"),
    "digits": ("'1'", "'10'", "'2'"),
    "mixed": ("1", "2.5", "0"),
    "tuple": ("('a', 1)", "('a',)", "()"),
    "odd-str": ("''", "'a b'", "'\\u00e9'"),
    "bytes": ("b'a'", "b''"),
    # Neither comes before the other: JAX cannot flatten such a dict.
    "unordered": ("'a'", "1", "None"),
}
ORDERED = tuple(sort for sort in KEYS if sort != "unordered")
STRINGS = ("str", "digits", "odd-str")
# Values that `==` compares in the usual way; the hashable ones come first.
_HASHABLE = ("1", "0", "'text'", "None", "2.5", "True", "-0.0", "math.sin")
_VALUES = (*_HASHABLE, "(1, 2)", "[1]", "[{'z': 1}, ()]")
_MAX_DEPTH = 3
_OPTIONS: Mapping[str, str] = {
    "fresh": "",
    "map": "$frozen = jtu.tree_map(lambda leaf: leaf, $frozen)",
    "copied": "$frozen = $frozen.copy({})",
    "refrozen": "$frozen = flax.core.freeze(flax.core.unfreeze($frozen))",
    "deepcopy": "$frozen = copy.deepcopy($frozen)",
    "wrapped": "$frozen = flax.core.FrozenDict(outer=$frozen)['outer']",
    "restored": (
        "$frozen = flax.serialization.from_state_dict"
        "($frozen, flax.serialization.to_state_dict($frozen))"
    ),
    "map-to-frozen": (
        "$frozen = jtu.tree_map(lambda leaf: flax.core.freeze({'w': leaf}), $frozen)\n"
        "$plain = jtu.tree_map(lambda leaf: {'w': leaf}, $plain)"
    ),
}
_CALLS_NO_TREE = ("fresh", "copied", "wrapped")


def draw_dict(
    draw: st.DrawFn,
    scope: Scope,
    *,
    sorts: Sequence[str] = ORDERED,
    values: Sequence[str] = _VALUES,
    least: int = 0,
    depth: int = 0,
) -> str:
    """Draw the text of a nested dict.

    Noted are `keys:` with the sort of each dict's keys, `dict:empty` and `dict:nested`.

    Args:
        sorts: the sorts of keys to draw from, names of `KEYS`.
        values: texts of the leaves.
        least: least number of entries of the outermost dict.
        depth: how deep in another dict it stands.
    """
    sort = sorts[draw(st.integers(0, len(sorts) - 1))]
    keys = draw(st.lists(st.sampled_from(KEYS[sort]), unique=True, min_size=least, max_size=3))
    scope.note(f"keys:{sort}" if keys else "dict:empty")
    entries = []
    for key in keys:
        if depth < _MAX_DEPTH and draw(st.integers(0, 2)) == 2:
            scope.note("dict:nested")
            text = draw_dict(draw, scope, sorts=sorts, values=values, depth=depth + 1)
        else:
            text = values[draw(st.integers(0, len(values) - 1))]
        entries.append(f"{key}: {text}")
    return "{" + ", ".join(entries) + "}"


@st.composite
def nested_dicts(
    draw: st.DrawFn, name: str = "plain", *, sorts: Sequence[str] = ORDERED, least: int = 0
) -> Recipe:
    """Draw a nested dict and bind it.

    Args:
        name: the name it is bound to.
        sorts: the sorts of keys to draw from, names of `KEYS`.
        least: least number of entries of the outermost dict.
    """
    _check(sorts, least)
    scope = Scope()
    scope.bind(name, draw_dict(draw, scope, sorts=sorts, least=least))
    return scope.recipe()


@st.composite
def frozen_dicts(
    draw: st.DrawFn,
    *,
    sorts: Sequence[str] = tuple(KEYS),
    hashable: bool = False,
    least: int = 0,
    history: bool = True,
) -> Recipe:
    """Draw `plain`, a nested dict, and `frozen`, the FrozenDict of it, after any prior operation.

    Features are those of `draw_dict` and `history:` followed by `fresh`, `map`, `copied`,
    `refrozen`, `deepcopy`, `wrapped`, `restored` or `map-to-frozen`. A dict whose keys have no
    order gets no operation for which JAX would flatten it.

    Args:
        sorts: the sorts of keys to draw from, names of `KEYS`; default every one.
        hashable: draw leaves that have a hash; default `False`.
        least: least number of entries of the outermost dict.
        history: draw a prior operation on the FrozenDict; default `True`.
    """
    _check(sorts, least)
    scope = Scope()
    values = _HASHABLE if hashable else _VALUES
    scope.bind("plain", draw_dict(draw, scope, sorts=sorts, values=values, least=least))
    scope.bind("frozen", "flax.core.freeze(plain)")
    if history:
        names = _CALLS_NO_TREE if "keys:unordered" in scope.features else tuple(_OPTIONS)
        # Two halves: fresh ones stay the common case.
        index = max(0, draw(st.integers(0, 2 * len(names) - 1)) - len(names))
        scope.note(f"history:{names[index]}")
        for line in _OPTIONS[names[index]].splitlines():
            scope.statement(line.replace("$frozen", "frozen").replace("$plain", "plain"))
    return scope.recipe()


def _check(sorts: Sequence[str], least: int) -> None:
    unknown = [sort for sort in sorts if sort not in KEYS]
    if unknown or not sorts:
        what = f"keys {unknown[0]!r} do not exist" if unknown else "sorts is empty"
        raise ValueError(f"{what}; choose from {', '.join(KEYS)}")
    if not 0 <= least <= 2:
        raise ValueError(f"least must be 0, 1 or 2, got {least}")
