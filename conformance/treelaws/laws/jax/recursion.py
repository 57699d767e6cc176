"""JAX: deeply nested trees, and containers that hold themselves."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from treelaws.core.law import Topic
from treelaws.equality import equal, same, true
from treelaws.laws._isolated import outcome

law = Topic("jax.recursion", "JAX: deep and cyclic trees", family="jax")
_CYCLE = "https://github.com/jax-ml/jax/issues/15711"
_BOX = """\
@jtu.register_pytree_node_class
class DeepBox:
    def __init__(self, x):
        self.x = x

    def tree_flatten(self):
        return (self.x,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
"""
_SINGLE = "DeepTuple = collections.namedtuple('DeepTuple', ['item'])\n"
_WRAPPERS = (
    ("list", "[tree]", ""),
    ("tuple", "(tree,)", ""),
    ("dict", "{'a': tree}", ""),
    ("namedtuple", "DeepTuple(tree)", _SINGLE),
    ("OrderedDict", "collections.OrderedDict(a=tree)", ""),
    ("defaultdict", "collections.defaultdict(int, a=tree)", ""),
    ("custom", "DeepBox(tree)", _BOX),
)
_LOOPS = (
    ("list", "[]", "loop.append(loop)", ""),
    ("dict", "{}", "loop['a'] = loop", ""),
    ("OrderedDict", "collections.OrderedDict()", "loop['a'] = loop", ""),
    ("custom", "DeepBox(0)", "loop.x = loop", _BOX),
)
_ALLOWED = ("returned", "RecursionError")
# Python's default recursion limit is 1000.
_MODERATE = 200


@st.composite
def _deep(draw: st.DrawFn, *depths: int) -> Recipe:
    """Bind `depth`, one of the depths, and `tree`, nested that deeply."""
    scope = Scope()
    kind, text, definition = draw(st.sampled_from(_WRAPPERS))
    scope.define(*([definition] if definition else []))
    scope.note(f"deep:{kind}")
    depth = draw(st.sampled_from(depths))
    scope.note("depth:great" if depth > _MODERATE else "depth:moderate")
    scope.bind("depth", str(depth))
    scope.bind("tree", "'leaf'")
    scope.statement(f"for _ in range(depth):\n    tree = {text}")
    return scope.recipe()


@st.composite
def _cyclic(draw: st.DrawFn) -> Recipe:
    """Bind `loop`, a container that holds itself, and `tree`, which is `loop` or contains it."""
    scope = Scope()
    kind, text, statement, definition = draw(st.sampled_from(_LOOPS))
    scope.define(*([definition] if definition else []))
    scope.note(f"loop:{kind}")
    scope.bind("loop", text)
    scope.statement(statement)
    scope.bind("tree", draw(st.sampled_from(["loop", "[1, loop]", "{'b': (loop, 2)}"])))
    return scope.recipe()


@law(
    "a tree of moderate depth is flattened, mapped and rebuilt like any other",
    source=_CYCLE,
    case=_deep(1, 20, 100, 200),
    level="should",
)
def moderate_depth_is_no_matter(lib, case):
    pairs, treedef = lib.tree_util.tree_flatten_with_path(case.tree)
    same([leaf for _, leaf in pairs], ["leaf"])
    same(len(pairs[0][0]), case.depth)
    mapped = lib.tree_util.tree_map(lambda leaf: "mapped", case.tree)
    equal(lib.tree_util.tree_structure(mapped), treedef)
    same(lib.tree_util.tree_leaves(mapped), ["mapped"])


@law(
    "flattening or mapping a very deep tree returns or raises RecursionError",
    source=_CYCLE,
    case=_deep(100, 2_000, 20_000),
    level="should",
)
def great_depth_is_flattened_or_refused(lib, case):
    for function in _functions(lib):
        _survives(lambda function=function: function(case.tree))


@law(
    "flattening or mapping a very deep tree with `is_leaf` returns or raises RecursionError",
    source=_CYCLE,
    case=_deep(100, 2_000, 20_000),
    level="should",
)
def great_depth_with_is_leaf_is_flattened_or_refused(lib, case):
    for function in _functions(lib):
        _survives(lambda function=function: function(case.tree, is_leaf=lambda node: False))


@law(
    "after a very deep tree was flattened or mapped, Python can still recurse",
    source="https://docs.python.org/3/c-api/exceptions.html#c.Py_LeaveRecursiveCall",
    case=_deep(100, 2_000, 20_000),
    level="should",
)
def great_depth_leaves_the_interpreter_usable(lib, case):
    for function in _functions(lib):
        for options in ({}, {"is_leaf": lambda node: False}):
            call = lambda function=function, options=options: function(case.tree, **options)
            true(outcome(call).usable, "an interpreter that cannot recurse", "a usable one")


@law(
    "flattening or mapping a container that holds itself raises RecursionError",
    source=_CYCLE,
    case=_cyclic(),
    level="should",
)
def cycle_is_refused(lib, case):
    for function in _functions(lib):
        got = outcome(lambda function=function: function(case.tree)).answer
        equal(got, "RecursionError")


@law(
    "with `is_leaf` too, flattening or mapping a container that holds itself raises RecursionError",
    source=_CYCLE,
    case=_cyclic(),
    level="should",
)
def cycle_with_is_leaf_is_refused(lib, case):
    for function in _functions(lib):
        call = lambda function=function: function(case.tree, is_leaf=lambda node: False)
        got = outcome(call).answer
        equal(got, "RecursionError")


@law(
    "a container that holds itself can be flattened if `is_leaf` accepts it",
    source="https://docs.jax.dev/en/latest/_autosummary/jax.tree.flatten.html",
    case=_cyclic(),
)
def is_leaf_cuts_a_cycle(lib, case):
    def cut() -> None:
        leaves = lib.tree_util.tree_leaves(case.tree, is_leaf=lambda node: node is case.loop)
        true(any(leaf is case.loop for leaf in leaves), len(leaves), "the container as a leaf")

    got = outcome(cut).answer
    true(got == "returned", got, "the container as a leaf")


def _functions(lib: Any) -> tuple[Any, ...]:
    """Return a function that flattens, one that flattens with paths and one that maps."""

    def map(tree: Any, **options: Any) -> None:
        lib.tree_util.tree_map(lambda leaf: leaf, tree, **options)

    return (lib.tree_util.tree_flatten, lib.tree_util.tree_flatten_with_path, map)


def _survives(call: Any) -> None:
    got = outcome(call).answer
    true(got in _ALLOWED, got, " or ".join(_ALLOWED))
