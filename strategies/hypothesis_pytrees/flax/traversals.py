"""Traversals of `flax.traverse_util`, as text, with data that they go over."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_POINT = "FxPoint = collections.namedtuple('FxPoint', ['x', 'y'])\n"
_HOLDER = """\
@dataclasses.dataclass
class FxHolder:
    x: typing.Any
    y: typing.Any = None
"""
# By feature: a step, the data that it goes into, with `$` for what stands there, and definitions.
_STEPS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("item:dict", "['a']", "{'a': $, 'b': 0}", ()),
    ("item:list", "[0]", "[$, 0]", ()),
    ("item:tuple", "[1]", "(0, $, 0)", ()),
    ("item:tuple-negative", "[-1]", "(0, $)", ()),
    ("item:list-negative", "[-1]", "[0, $]", ()),
    ("item:tuple-slice", "[0:2]", "($, $, 0)", ()),
    ("item:list-slice", "[0:2]", "[$, $, 0]", ()),
    ("item:namedtuple", "[1]", "FxPoint(0, $)", (_POINT,)),
    ("item:frozen", "['a']", "flax.core.freeze({'a': $, 'b': 0})", ()),
    ("attr:namedtuple", ".y", "FxPoint(0, $)", (_POINT,)),
    ("attr:dataclass", ".x", "FxHolder($)", (_HOLDER,)),
    ("each:list", ".each()", "[$, $]", ()),
    ("each:tuple", ".each()", "($, $)", ()),
    ("each:dict", ".each()", "{'b': $, 'a': $}", ()),
    ("each:empty", ".each()", "[]", ()),
    ("compose", ".compose(flax.traverse_util.TraverseEach())", "[$, $]", ()),
    (
        "compose-several",
        ".compose(flax.traverse_util.t_identity['a'].each())",
        "{'a': [$, $], 'b': 0}",
        (),
    ),
    ("filter", ".each().filter(lambda item: item != 'out')", "[$, 'out']", ()),
    (
        "merge",
        ".merge(flax.traverse_util.TraverseItem('b'), flax.traverse_util.TraverseItem('a'))",
        "{'a': $, 'b': $, 'c': 0}",
        (),
    ),
)
# The last step, if any: every leaf of a pytree.
_TREE = ("tree", ".tree()", "[$, {'b': $}, None, ($,)]", ())


@st.composite
def traversals(draw: st.DrawFn) -> Recipe:
    """Draw `choose`, a function that makes a traversal of the identity, and `data` for it.

    Features are `step:` followed by the kind of each step, such as `step:item:tuple-negative`.
    """
    scope = Scope()
    steps = [_STEPS[i] for i in draw(st.lists(st.integers(0, len(_STEPS) - 1), max_size=3))]
    if draw(st.integers(0, 3)) == 3:
        steps.append(_TREE)
    data, chain = "$", ""
    for feature, step, around, definitions in steps:
        scope.note(f"step:{feature}")
        scope.define(*definitions)
        chain += step
        data = data.replace("$", around)
    # A number of its own for each place, so that no two items are equal.
    for index in range(data.count("$")):
        data = data.replace("$", str(index + 1), 1)
    scope.bind("data", data)
    scope.bind("choose", f"lambda traversal: traversal{chain}")
    return scope.recipe()
