"""Random programs on Flax NNX lists and dicts, as text, also run on a plain list or dict."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .modules import attributes, nnx_modules, statics

_PLACE = re.compile(r"\$(\w+)")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Step:
    """One step of a program, as an expression.

    Args:
        name: its name in features, for example `"append"`.
        text: the expression; `$value`, `$key`, `$index`, `$slice` stand for what is drawn.
    """

    name: str
    text: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


# Round trips keep the items; the law does the step of such a name.
ROUND_TRIPS: Sequence[Step] = (
    Step("round-trip", "'split-merge'"),
    Step("round-trip", "'map'"),
    Step("round-trip", "'clone'"),
)
LIST_STEPS: Sequence[Step] = (
    Step("append", "items.append($value)"),
    Step("insert", "items.insert(0, $value)"),
    Step("insert", "items.insert($index, $value)"),
    Step("pop", "items.pop()"),
    Step("delete", "items.pop($index)"),
    Step("extend", "items.extend([$value, $value])"),
    Step("extend", "items.extend(items)"),
    Step("extend", "operator.iadd(items, [$value])"),
    Step("get", "items[$index]"),
    Step("get", "items[$slice]"),
    Step("get", "items[$backward]"),
    Step("set", "operator.setitem(items, $index, $value)"),
    Step("set", "operator.setitem(items, $slice, [$value] * len(items[$slice]))"),
    Step("delete", "operator.delitem(items, $index)"),
    Step("delete", "operator.delitem(items, $slice)"),
    Step("delete-backward", "operator.delitem(items, $backward)"),
    Step("delete", "items.remove($value)"),
    Step("reverse", "items.reverse()"),
    Step("clear", "items.clear()"),
    Step("find", "items.index($value)"),
    Step("find", "items.index($value, $index)"),
    Step("find", "items.count($value)"),
    Step("find", "operator.contains(items, $value)"),
    Step("read", "list(items)"),
    Step("read", "list(reversed(items))"),
    Step("read", "len(items)"),
    Step("read", "bool(items)"),
    Step("get", "items['0']"),
    Step("set", "operator.setitem(items, '0', $value)"),
)
# The order in which pairs come out of `popitem` is a promise of `dict` alone.
DICT_STEPS: Sequence[Step] = (
    Step("set", "operator.setitem(items, $key, $value)"),
    Step("get", "items[$key]"),
    Step("delete", "operator.delitem(items, $key)"),
    Step("pop", "items.pop($key)"),
    Step("pop", "items.pop($key, None)"),
    Step("look", "items.get($key)"),
    Step("look", "items.get($key, 'default')"),
    Step("setdefault", "items.setdefault($key, $value)"),
    Step("update", "items.update({$key: $value})"),
    Step("update", "items.update([($key, $value)])"),
    Step("update", "items.update(items)"),
    Step("clear", "items.clear()"),
    Step("look", "operator.contains(items, $key)"),
    Step("order", "list(items)"),
    Step("order", "list(items.keys())"),
    Step("order", "list(items.values())"),
    Step("order", "list(items.items())"),
    Step("read", "len(items)"),
    Step("read", "bool(items)"),
)
_INDICES = ("0", "-1", "1", "2", "-2", "5", "-7")
_SLICES = (":", "1:", ":1", "-1:", "1:2", "::2", "3:1", "-9:9")
_BACKWARD = ("::-1", "::-2", "1::-1", ":0:-1")
# Half of the keys take data and half take static values, since an attribute keeps its status.
_KEYS = ("'a'", "'s'", "'b'", "'t'", "''", "'two words'", "'_hidden'", "'10'", "'9'")
_STATIC_KEYS = frozenset({"'s'", "'t'", "'two words'", "'9'"})
# Names of methods of a Dict, which are valid keys.
_METHODS = ("'items'", "'pop'", "'update'", "'train'", "'__len__'")
_NO_TEXT = ("1", "None", "('a',)", "2.5")


def _slice(text: str) -> str:
    return f"slice({', '.join(part or 'None' for part in [*text.split(':'), ''][:3])})"


@functools.cache
def _data() -> st.SearchStrategy[Recipe]:
    """Draw data that shares nothing inside: a map does not preserve the identity of objects.

    Source: https://docs.jax.dev/en/latest/jax.tree_util.html
    """
    modules = nnx_modules(layers=False, max_leaves=2, alias=False)
    return st.one_of(
        attributes(static=False), modules.filter(lambda recipe: "nnx:tied" not in recipe.features)
    )


@dataclasses.dataclass(eq=False)
class _Writer:
    """A program while it is drawn: the scope, the names of its values, the features."""

    draw: st.DrawFn
    scope: Scope
    items: str
    bound: dict[tuple[str, int], str] = dataclasses.field(default_factory=dict)

    def text(self, step: Step) -> str:
        """Write a step; a placeholder that occurs twice is drawn once, except for values."""
        drawn: dict[str, str] = {}

        def place(match: re.Match[str]) -> str:
            name = match[1]
            if name not in drawn or name == "value":
                drawn[name] = self._drawn(name, drawn)
            return drawn[name]

        self.scope.note(f"step:{step.name}")
        return _PLACE.sub(place, step.text)

    def _drawn(self, name: str, drawn: dict[str, str]) -> str:
        if name == "value":
            return self.value(drawn.get("key"))
        if name == "key":
            return self.key()
        table = {"index": _INDICES, "slice": _SLICES, "backward": _BACKWARD}[name]
        found = self.draw(st.sampled_from(table))
        return found if name == "index" else _slice(found)

    def value(self, key: str | None = None) -> str:
        """Draw one of two values of data, or of two static ones, and bind it where it is new."""
        kinds = ("data", "static") if self.items == "mixed" else (self.items,)
        if key is not None:
            kinds = ("static",) if key in _STATIC_KEYS else ("data",)
        place = (self.draw(st.sampled_from(kinds)), self.draw(st.integers(0, 1)))
        if place not in self.bound:
            drawn = self.draw(statics() if place[0] == "static" else _data())
            self.bound[place] = self.scope.bind("value", drawn)
        return self.bound[place]

    def key(self) -> str:
        return self.draw(st.sampled_from(_KEYS))


@st.composite
def list_programs(
    draw: st.DrawFn,
    *,
    steps: Sequence[Step] = LIST_STEPS,
    items: Sequence[str] = ("data", "static", "mixed"),
    most: int = 5,
) -> Recipe:
    """Draw a program on a list: `start`, its first items, and `steps`, functions of the list.

    A step that is a text, one of `ROUND_TRIPS`, is the law's to do.

    Args:
        steps: what a program is made of, simple ones first; default `LIST_STEPS`.
        items: what the items are: `"data"`, `"static"` values, or some of each (`"mixed"`).
        most: most steps of a program, at least 1; default 5.

    Raises:
        ValueError: `steps` or `items` is empty, or `most` is below 1.
    """
    _check(steps, items, most)
    writer = _writer(draw, draw(st.sampled_from(tuple(items))))
    start = [writer.value() for _ in range(draw(st.integers(0, 3)))]
    writer.scope.bind("start", f"[{', '.join(start)}]")
    return _finished(writer, steps, most, "items")


@st.composite
def dict_programs(
    draw: st.DrawFn,
    *,
    steps: Sequence[Step] = DICT_STEPS,
    most: int = 5,
) -> Recipe:
    """Draw a program on a mapping: `start`, a dict, and `steps`, functions of the mapping.

    A step that is a text, one of `ROUND_TRIPS`, is the law's to do. Keys are strings, and a key
    takes either data or static values, since an attribute keeps its status.

    Args:
        steps: what a program is made of, simple ones first; default `DICT_STEPS`.
        most: most steps of a program, at least 1; default 5.

    Raises:
        ValueError: `steps` is empty, or `most` is below 1.
    """
    _check(steps, ("mixed",), most)
    writer = _writer(draw, "mixed")
    keys = draw(st.lists(st.sampled_from(_KEYS), max_size=3, unique=True))
    start = ", ".join(f"{key}: {writer.value(key)}" for key in keys)
    writer.scope.bind("start", f"{{{start}}}")
    return _finished(writer, steps, most, "items")


@st.composite
def dict_keys(draw: st.DrawFn) -> Recipe:
    """Draw `start`, a dict, and any `key`: one it may have, a method's name, or no text."""
    writer = _writer(draw, "mixed")
    keys = draw(st.lists(st.sampled_from(_KEYS), max_size=3, unique=True))
    start = ", ".join(f"{key}: {writer.value(key)}" for key in keys)
    writer.scope.bind("start", f"{{{start}}}")
    table, feature = draw(
        st.sampled_from(((_KEYS, "text"), (_METHODS, "method"), (_NO_TEXT, "no-text")))
    )
    writer.scope.bind("key", draw(st.sampled_from(table)))
    writer.scope.note(f"key:{feature}")
    return writer.scope.recipe()


def _check(steps: Sequence[Step], items: Sequence[str], most: int) -> None:
    if not steps or not items:
        raise ValueError("steps and items must each name at least one; see LIST_STEPS")
    if most < 1:
        raise ValueError(f"most must be at least 1, got {most}")


def _writer(draw: st.DrawFn, items: str) -> _Writer:
    scope = Scope()
    scope.note(f"items:{items}")
    return _Writer(draw, scope, items)


def _finished(writer: _Writer, steps: Sequence[Step], most: int, name: str) -> Recipe:
    chosen = writer.draw(st.lists(st.sampled_from(tuple(steps)), min_size=1, max_size=most))
    texts = map(writer.text, chosen)
    lines = [text if text.startswith("'") else f"lambda {name}: {text}" for text in texts]
    body = "".join(f"    {line},\n" for line in lines)
    writer.scope.bind("steps", f"[\n{body}]")
    return writer.scope.recipe()
