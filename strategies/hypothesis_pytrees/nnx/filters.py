"""Flax NNX filters in every form, each with its meaning as a plain function of path and value."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .variables import OWN_PARAM

_IS_A = """\
def nnx_is_a(value, cls):
    # A VariableState, up to 0.10.6, says in `type` what it stands for. An Rngs has a stream there.
    kind = getattr(value, 'type', None)
    return isinstance(value, cls) or (isinstance(kind, type) and issubclass(kind, cls))
"""
_HAS_TAG = """\
def nnx_has_tag(value, tag):
    return hasattr(value, 'tag') and value.tag == tag
"""
_LONG_PATH = """\
def nnx_long_path(path, value):
    return len(path) > 1
"""
_FLOATING = """\
class NnxFloating:
    def __call__(self, path, value):
        # An attribute of an Rngs is a stream, whatever its name.
        return (
            not isinstance(value, nnx.Rngs)
            and hasattr(value, 'dtype')
            and jnp.issubdtype(value.dtype, jnp.floating)
        )
"""
_MAX_DEPTH = 2


@dataclasses.dataclass(frozen=True)
class Filter:
    """The text of a filter, and that of the function of `path` and `value` that it stands for."""

    text: str
    meaning: str
    features: frozenset[str]
    definitions: tuple[str, ...] = ()


def _filter(name: str, text: str, meaning: str, *definitions: str) -> Filter:
    return Filter(text, meaning, frozenset({f"filter:{name}"}), definitions)


def _of_type(name: str, template: str) -> list[Filter]:
    types = ("nnx.Param", "nnx.BatchStat", "nnx.Variable", "jax.Array", "NnxWeight")
    return [
        _filter(name, template.replace("$", cls), f"nnx_is_a(value, {cls})", _IS_A, OWN_PARAM)
        for cls in types
    ]


def _with_tag(name: str, template: str) -> list[Filter]:
    return [
        _filter(name, template.replace("$", tag), f"nnx_has_tag(value, {tag})", _HAS_TAG)
        for tag in ("'encoder'", "'decoder'", "'params'", "''")
    ]


# Types first, since draws shrink to the first entry.
SIMPLE_FILTERS: tuple[Filter, ...] = (
    *_of_type("type", "$"),
    *_of_type("OfType", "nnx.OfType($)"),
    *_with_tag("string", "$"),
    *_with_tag("WithTag", "nnx.WithTag($)"),
    *(
        _filter("PathContains", f"nnx.PathContains({key})", f"{key} in path")
        for key in ("'a'", "'x'", "0", "'0'", "'kernel'")
    ),
    _filter("bool", "True", "True"),
    _filter("bool", "False", "False"),
    _filter("ellipsis", "...", "True"),
    _filter("None", "None", "False"),
    _filter("Everything", "nnx.Everything()", "True"),
    _filter("Nothing", "nnx.Nothing()", "False"),
    _filter("callable", "nnx_long_path", "nnx_long_path(path, value)", _LONG_PATH),
    _filter("callable", "lambda path, value: 'b' in path", "'b' in path"),
    _filter("object", "NnxFloating()", "NnxFloating()(path, value)", _FLOATING),
)
_TYPES = tuple(one for one in SIMPLE_FILTERS if "filter:type" in one.features)
# Filters without an equality of their own: two that are written alike are two.
BY_IDENTITY = frozenset({"filter:callable", "filter:object"})
_MANY = {
    "Any": ("nnx.Any($)", "any"),
    "All": ("nnx.All($)", "all"),
    "tuple": ("($,)", "any"),
    "list": ("[$]", "any"),
}
_NONE = {"Any": "nnx.Any()", "All": "nnx.All()", "tuple": "()", "list": "[]"}


@st.composite
def filter_pairs(draw: st.DrawFn, depth: int = 0, *, combined: bool = False) -> Filter:
    """Draw the text of a filter and of its meaning.

    Args:
        depth: how many filters it stands in already; at most two are nested.
        combined: draw one that is made of others; default `False`: draw any.
    """
    # Types, which match something in most modules, a third of the time.
    if combined:
        choice = 2
    else:
        choice = draw(st.integers(0, 2 if depth < _MAX_DEPTH else 1))
    if choice < 2:
        return draw(st.sampled_from(SIMPLE_FILTERS if choice else _TYPES))
    form = draw(st.sampled_from(("Not", *_MANY)))
    if form == "Not":
        inner = draw(filter_pairs(depth + 1))
        features = inner.features | {"filter:Not"}
        return Filter(
            f"nnx.Not({inner.text})", f"not ({inner.meaning})", features, inner.definitions
        )
    parts = draw(st.lists(filter_pairs(depth + 1), max_size=3))
    template, function = _MANY[form]
    text = template.replace("$", ", ".join(part.text for part in parts)) if parts else _NONE[form]
    meaning = f"{function}([{', '.join(f'bool({part.meaning})' for part in parts)}])"
    features = {f"filter:{form}", *(() if parts else ("filter:empty",))}
    return Filter(
        text,
        meaning,
        frozenset(features.union(*(part.features for part in parts))),
        tuple(dict.fromkeys(one for part in parts for one in part.definitions)),
    )


def write_filter(scope: Scope, drawn: Filter) -> str:
    """Take a filter's definitions and features into a scope and give its text."""
    scope.define(*drawn.definitions)
    scope.note(*drawn.features)
    return drawn.text


@st.composite
def filters(draw: st.DrawFn, name: str = "filter") -> Recipe:
    """Draw a filter and bind it, and `meaning`, the function of path and value that it stands for.

    Args:
        name: what the filter is called; its meaning is called `meaning` where that is `"filter"`,
            else `meaning_of_` and the name.
    """
    drawn = draw(filter_pairs())
    scope = Scope()
    scope.bind(name, write_filter(scope, drawn))
    meaning = "meaning" if name == "filter" else f"meaning_of_{name}"
    scope.bind(meaning, f"lambda path, value: {drawn.meaning}")
    return scope.recipe()


@st.composite
def filter_lists(draw: st.DrawFn, *, exhaustive: bool = True, min_size: int = 1) -> Recipe:
    """Draw a tuple of filters and bind it to `filters`, and the tuple of their `meanings`.

    `...` and `True` stand at the end alone, since the library refuses them elsewhere.

    Args:
        exhaustive: let the last one match everything; default `True`.
        min_size: least number of filters, at least 1; default 1.

    Raises:
        ValueError: `min_size` is below 1.
    """
    if min_size < 1:
        raise ValueError(f"min_size must be at least 1, got {min_size}")
    rest = ("...", "True", "nnx.Everything()", "nnx.Not(nnx.Nothing())", "(nnx.Variable, ...)")
    inner = filter_pairs().filter(lambda drawn: drawn.text not in ("...", "True"))
    drawn = draw(st.lists(inner, min_size=min_size - exhaustive, max_size=3))
    scope = Scope()
    texts = [write_filter(scope, one) for one in drawn]
    meanings = [f"lambda path, value: {one.meaning}" for one in drawn]
    if exhaustive:
        texts.append(draw(st.sampled_from(rest)))
        meanings.append("lambda path, value: True")
    scope.bind("filters", f"({', '.join(texts)},)")
    scope.bind("meanings", f"({', '.join(meanings)},)")
    scope.note(f"filters:{min(len(texts), 2)}")
    return scope.recipe()
