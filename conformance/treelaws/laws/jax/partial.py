"""JAX: `Partial`, a `functools.partial` that is a node."""

from __future__ import annotations

import functools

from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.core.law import Topic
from treelaws.equality import differ, equal, same, true

law = Topic("jax.partial", "JAX: Partial", family="jax")
_DOCS = "https://docs.jax.dev/en/latest/_autosummary/jax.tree_util.Partial.html"
_NESTED = "https://github.com/jax-ml/jax/blob/main/jax/_src/tree_util.py"
_GATHER = """\
def gather(*arguments, **keywords):
    return [list(arguments), keywords]
"""
_CALLABLE = """\
class Gatherer:
    def __call__(this, /, *arguments, **keywords):
        return [list(arguments), keywords]

    def method(this, /, *arguments, **keywords):
        return [list(arguments), keywords]


GATHERER = Gatherer()
"""
_FUNCTIONS = (
    ("gather", _GATHER),
    ("GATHERER", _CALLABLE),
    ("GATHERER.method", _CALLABLE),
    ("functools.partial(gather)", _GATHER),
    ("functools.partial(gather, 'inner', b='inner')", _GATHER),
    ("jtu.Partial(gather, 'inner', a='inner')", _GATHER),
)


@st.composite
def _calls(draw: st.DrawFn) -> Recipe:
    """Bind `function`, its `early` and `late` arguments, and the keywords of both."""
    scope = Scope()
    text, definition = draw(st.sampled_from(_FUNCTIONS))
    scope.define(definition)
    scope.bind("function", text)
    # Names that a careless signature would use for its own parameters.
    names = ("a", "b", "args", "func", "klass", "self")
    if "partial(" in text.lower():
        scope.note("partial:nested")
    for stage in ("early", "late"):
        count = draw(st.integers(0, 2))
        values = [draw_tree(draw, scope, max_leaves=2) for _ in range(count)]
        scope.bind(stage, f"({''.join(f'{value}, ' for value in values)})")
        chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
        scope.note(*(f"{stage}:{name}" for name in chosen))
        items = [f"{name!r}: {draw_tree(draw, scope, max_leaves=2)}" for name in chosen]
        scope.bind(f"{stage}_keywords", f"{{{', '.join(items)}}}")
    return scope.recipe()


@law(
    "`Partial(f, *early)(*late)` calls `f` with the early arguments before the late ones",
    source=_DOCS,
    case=_calls(),
)
def partial_calls_like_functools_partial(lib, case):
    early, late = (case.early, case.early_keywords), (case.late, case.late_keywords)
    made = lib.tree_util.Partial(case.function, *early[0], **early[1])
    wanted = functools.partial(case.function, *early[0], **early[1])(*late[0], **late[1])
    same(made(*late[0], **late[1]), wanted, identical=True)


@law(
    "the leaves of a `Partial` are exactly the leaves of its arguments and keywords",
    source=_DOCS,
    case=_calls(),
)
def partial_holds_exactly_its_arguments(lib, case):
    made = lib.tree_util.Partial(case.function, *case.early, **case.early_keywords)
    wanted = lib.tree_util.tree_leaves((case.early, case.early_keywords))
    same(lib.tree_util.tree_leaves(made), wanted, identical=True)


@law(
    "mapping a `Partial` gives a `Partial` that calls the same function with the mapped arguments",
    source=_DOCS,
    case=_calls(),
)
def partial_is_mapped_like_its_arguments(lib, case):
    made = lib.tree_util.Partial(case.function, *case.early, **case.early_keywords)
    mapped = lib.tree_util.tree_map(lambda leaf: "mapped", made)
    early, keywords = lib.tree_util.tree_map(
        lambda leaf: "mapped", (case.early, case.early_keywords)
    )
    true(type(mapped) is type(made), mapped, "a Partial")
    same(mapped(*case.late), case.function(*early, *case.late, **keywords), identical=False)


@law(
    "`Partial`s have equal structures if they hold the same function, and only then",
    source=_DOCS,
    case=_calls(),
)
def function_of_a_partial_is_structure(lib, case):
    make = lambda function: lib.tree_util.tree_structure(
        lib.tree_util.Partial(function, *case.early, **case.early_keywords)
    )
    one, other = make(case.function), make(case.function)
    equal(one, other)
    equal(hash(one), hash(other))
    differ(one, make(print))


@law(
    "the arguments of a `functools.partial` inside a `Partial` belong to the function, not to the "
    "tree",
    source=_NESTED,
    case=_calls(),
    level="should",
)
def partial_does_not_merge_with_an_inner_partial(lib, case):
    inner = functools.partial(case.function, *case.late, **case.late_keywords)
    made = lib.tree_util.Partial(inner, *case.early)
    same(lib.tree_util.tree_leaves(made), lib.tree_util.tree_leaves(case.early), identical=True)
    same(made(), inner(*case.early), identical=True)


@law(
    "a plain `functools.partial` is a leaf",
    source=_DOCS,
    case=_calls(),
)
def functools_partial_is_a_leaf(lib, case):
    made = functools.partial(case.function, *case.early)
    same(lib.tree_util.tree_leaves(made), [made], identical=True)
