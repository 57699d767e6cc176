"""Trees that hold `Rngs`, and rules that say what happens to which of their streams, as text.

Each rule comes with its meaning for each stream, worked out in plain Python from the names of the
streams and the paths to them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

from .rngs import RNGS, streams_of

# The path to a stream; its last entry is the name of the stream.
Path = tuple[str | int, ...]

_HOLDER = """\
class NnxHoldsRngs(nnx.Module):
    def __init__(self, rngs, scale):
        self.rngs = rngs
        self.scale = nnx.Param(scale)
"""


@dataclasses.dataclass(frozen=True)
class _Tree:
    """A tree around one or two Rngs: its text, where they stand, and how to reach them."""

    name: str
    text: str
    places: tuple[Path, ...]
    access: tuple[str, ...]


_TREES = (
    _Tree("rngs", "$0", ((),), ("tree",)),
    _Tree("dict", "{'a': $0, 'b': [1, $1]}", (("a",), ("b", 1)), ("tree['a']", "tree['b'][1]")),
    _Tree("module", "NnxHoldsRngs($0, jnp.ones(2))", (("rngs",),), ("tree.rngs",)),
    _Tree(
        "nested",
        "(jnp.ones(2), {'dropout': NnxHoldsRngs($0, 1.0)}, $1)",
        ((1, "dropout", "rngs"), (2,)),
        ("tree[1]['dropout'].rngs", "tree[2]"),
    ),
)


@dataclasses.dataclass(frozen=True)
class _Filter:
    """A filter of streams, and whether it selects the stream at a path."""

    text: str
    selects: Callable[[Path], bool]
    # Whether it asks for more than the name, which not every function passes to it.
    by_path: bool = False


def _any_of(*names: str) -> Callable[[Path], bool]:
    return lambda path: path[-1] in names


_FILTERS = (
    _Filter("'params'", _any_of("params")),
    _Filter("'noise'", _any_of("noise")),
    _Filter("nnx.WithTag('dropout')", _any_of("dropout")),
    _Filter("nnx.Not('params')", lambda path: path[-1] != "params"),
    _Filter("('params', 'default')", _any_of("params", "default")),
    _Filter("nnx.Any('noise', 'dropout')", _any_of("noise", "dropout")),
    _Filter("nnx.All('params', nnx.Not('noise'))", _any_of("params")),
    _Filter("nnx.PathContains('dropout')", lambda path: "dropout" in path, by_path=True),
    _Filter("nnx.All('params', nnx.PathContains('a'))", lambda path: path == ("a", "params"), True),
)
_EVERYTHING = (_Filter("...", lambda path: True), _Filter("True", lambda path: True))
_NOTHING = _Filter("None", lambda path: False)
_OPTIONS = (
    "{'graph_updates': False}",
    "{'graph': False}",
    "{'graph': True, 'graph_updates': False}",
)
_SHAPES: Sequence[int | tuple[int, ...]] = (3, 1, (2,), (2, 3))


def _filters(*, by_path: bool) -> st.SearchStrategy[_Filter]:
    return st.sampled_from([one for one in _FILTERS if by_path or not one.by_path])


def _draw_tree(draw: st.DrawFn, scope: Scope, trees: Sequence[_Tree] = _TREES) -> list[Path]:
    """Bind `tree` and `streams`, which lists the streams of such a tree; return their paths."""
    tree = draw(st.sampled_from(trees))
    scope.note(f"streams-in:{tree.name}")
    text, paths, access = tree.text, [], []
    for place, (path, way) in enumerate(zip(tree.places, tree.access, strict=True)):
        rngs = draw(st.sampled_from(RNGS))
        text = text.replace(f"${place}", rngs.template)
        names = streams_of(frozenset(rngs.features))
        paths += [(*path, name) for name in names]
        access += [f"{way}.{name}" for name in names]
    scope.define(_HOLDER)
    scope.bind("tree", text)
    scope.bind("streams", f"lambda tree: [{', '.join(access)}]")
    if draw(st.booleans()):
        scope.statement("[stream() for stream in streams(tree)]")
        scope.note("rngs:used")
    return paths


def _draw_rule(
    draw: st.DrawFn, scope: Scope, paths: Sequence[Path], *, by_path: bool, unchanged: bool
) -> tuple[str, list[str]]:
    """Return the text of a shape for all streams or by filter, and the shape of each stream.

    The feature `rule:own` says that a filter of some streams gives one of them a shape.

    Args:
        draw: draws.
        scope: takes the features.
        paths: the paths to the streams.
        by_path: let filters ask for more of the path than its last entry.
        unchanged: let a shape be None, which stands for no change of the shape.
    """
    shapes = st.sampled_from(_SHAPES)
    if draw(st.booleans()):
        shape = draw(shapes)
        return repr(shape), [repr(_as_tuple(shape))] * len(paths)
    chosen = draw(st.lists(_filters(by_path=by_path), max_size=2, unique=True))
    if draw(st.booleans()):
        chosen.append(draw(st.sampled_from(_EVERYTHING)))
    given = [draw(st.none() | shapes if unchanged else shapes) for _ in chosen]
    rows = list(zip(chosen, given, strict=True))
    text = ", ".join(f"{one.text}: {shape!r}" for one, shape in rows)
    meant = [
        next((repr(_as_tuple(shape)) for one, shape in rows if one.selects(path)), "'no filter'")
        for path in paths
    ]
    if any(sum(one.selects(path) for one in chosen) > 1 for path in paths):
        scope.note("rule:overlap")
    first = [next((one for one in chosen if one.selects(path)), None) for path in paths]
    if any(one not in (None, *_EVERYTHING) for one in first):
        scope.note("rule:own")
    return f"{{{text}}}", meant


def _as_tuple(shape: int | tuple[int, ...] | None) -> tuple[int, ...] | None:
    return (shape,) if isinstance(shape, int) else shape


@st.composite
def shape_rules(draw: st.DrawFn, *, nested: bool = False, unchanged: bool = True) -> Recipe:
    """Draw a tree with streams and a rule that gives streams shapes.

    Binds `tree`; `streams`, a function that lists the streams of such a tree; `rule`, an integer, a
    tuple or a mapping of filters; and `wanted`, for each stream the shape that the first filter
    gives it that selects it, as a tuple or None, or `"no filter"`. `options` are those by which
    functions that change a tree in place give a copy instead.

    Args:
        nested: let the tree be a module or a container; default `False`, only `Rngs`.
        unchanged: let a mapping give None for a shape; default `True`.
    """
    scope = Scope()
    paths = _draw_tree(draw, scope, _TREES if nested else _TREES[:1])
    rule, wanted = _draw_rule(draw, scope, paths, by_path=nested, unchanged=unchanged)
    scope.bind("rule", rule)
    scope.bind("wanted", f"[{', '.join(wanted)}]")
    if rule == "{}":
        scope.note("rule:empty")
    if any(shape != "'no filter'" for shape in wanted):
        scope.note("rule:selects")
    _bind_options(draw, scope)
    return scope.recipe()


@st.composite
def selected_streams(draw: st.DrawFn) -> Recipe:
    """Draw a tree with streams and a filter of them.

    Binds `tree`; `streams`, a function that lists the streams of such a tree; `only`, a filter;
    `selected`, whether it selects each stream; `shape`, a tuple; and `options`, by which functions
    that change a tree in place give a copy instead.
    """
    scope = Scope()
    paths = _draw_tree(draw, scope)
    every = st.sampled_from((*_EVERYTHING, _NOTHING, _Filter("nnx.RngState", lambda path: True)))
    only = draw(_filters(by_path=True) | every)
    scope.bind("only", only.text)
    if only.text == "nnx.RngState":
        scope.note("only:variables")
    scope.bind("selected", repr([only.selects(path) for path in paths]))
    scope.bind("shape", repr(_as_tuple(draw(st.sampled_from(_SHAPES)))))
    if any(only.selects(path) for path in paths):
        scope.note("streams:selected")
        if only.text not in ("...", "True", "nnx.RngState"):
            scope.note("streams:selected-by-own-filter")
    _bind_options(draw, scope)
    return scope.recipe()


@st.composite
def rules_and_forks(draw: st.DrawFn) -> Recipe:
    """Draw a tree with streams, a rule that splits some of them, and a filter that forks some.

    Binds `tree`, `streams`, `rule`, `wanted` and `options` as `shape_rules` does, and `fork`, a
    filter or a list of them, and `forked`, whether one selects each stream. The feature
    `rules:both` says that one of `fork`, other than those of all streams, selects a stream that
    the rule splits.
    """
    scope = Scope()
    paths = _draw_tree(draw, scope)
    rule, wanted = _draw_rule(draw, scope, paths, by_path=True, unchanged=False)
    scope.bind("rule", rule)
    scope.bind("wanted", f"[{', '.join(wanted)}]")
    every = st.sampled_from((*_EVERYTHING, _NOTHING))
    filters = draw(st.lists(_filters(by_path=True) | every, min_size=1, max_size=2))
    texts = [one.text for one in filters]
    scope.bind("fork", texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")
    scope.bind("forked", repr([any(one.selects(path) for one in filters) for path in paths]))
    own = [one for one in filters if one not in _EVERYTHING]
    taken = [path for path, shape in zip(paths, wanted, strict=True) if shape != "'no filter'"]
    if any(one.selects(path) for one in own for path in taken):
        scope.note("rules:both")
    _bind_options(draw, scope)
    return scope.recipe()


@st.composite
def reseedings(draw: st.DrawFn, *, arrays: bool = False) -> Recipe:
    """Draw a tree with streams and new seeds for some of them.

    Binds `tree`; `streams`, a function that lists the streams of such a tree; `seeds`, new seeds by
    the name of the stream; `named` and `others`, functions that list the streams of such a tree
    that have such a name, and those that have none.

    Args:
        arrays: also bind `shape`, a tuple, and `arrays`, the same tree whose streams have keys of
            that shape; default `False`.
    """
    scope = Scope()
    paths = _draw_tree(draw, scope)
    names = sorted({str(path[-1]) for path in paths})
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    seeds = st.sampled_from(("42", "jax.random.key(5)", "0"))
    scope.bind("seeds", f"{{{', '.join(f'{name!r}: {draw(seeds)}' for name in chosen)}}}")
    places = range(len(paths))
    for function, wanted in (("named", True), ("others", False)):
        own = [place for place in places if (paths[place][-1] in chosen) is wanted]
        scope.bind(function, f"lambda tree: [streams(tree)[place] for place in {own}]")
    if arrays:
        scope.bind("shape", repr(_as_tuple(draw(st.sampled_from(_SHAPES)))))
        scope.bind("arrays", "nnx.split_rngs(tree, splits=shape, graph_updates=False)")
    return scope.recipe()


def _bind_options(draw: st.DrawFn, scope: Scope) -> None:
    """Bind `options`, by which a function gives a copy of the tree."""
    scope.bind("options", draw(st.sampled_from(_OPTIONS)))
