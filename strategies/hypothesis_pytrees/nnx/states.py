"""Flax NNX states: nested mappings with string or integer keys, and the states of modules."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.trees.trees import draw_tree

from .modules import nnx_modules
from .variables import variables

_NESTED = """\
def nnx_nested(state):
    # A State in another one can be read; other laws have no such State where it cannot.
    nnx.State({'outer': state})['outer']
    return state
"""


def _state(tags: str, template: str) -> Kind:
    return Kind("nnx-state", template, (), tuple(f"state:{tag}" for tag in tags.split()))


def _mapping(tags: str, template: str, *definitions: str) -> Kind:
    return Kind("nnx-mapping", template, definitions, tuple(f"state:{tag}" for tag in tags.split()))


# The keys of one mapping are of one type, since a State sorts them.
NNX_STATES: Sequence[Kind] = (
    _state("one", "nnx.State({'a': $0})"),
    _state("two", "nnx.State({'b': $0, 'a': $1})"),
    _state("int-keys", "nnx.State({10: $0, 9: $1})"),
    _state("digit-keys", "nnx.State({'10': $0, '9': $1})"),
    _state("three", "nnx.State({'kernel': $0, 'bias': $1, 'layers': {0: $2}})"),
    _state("empty", "nnx.State({})"),
)
NNX_MAPPINGS: Sequence[Kind] = (
    _mapping("one", "{'a': $0}"),
    _mapping("two", "{'b': $0, 'a': $1}"),
    _mapping("int-keys", "{1: $0, 0: $1}"),
    _mapping("digit-keys", "{'10': $0, '9': $1}"),
    _mapping("empty", "{}"),
    _mapping("inside", "nnx_nested(nnx.State({'a': $0}))", _NESTED),
)

# Operations on a mapping with string keys; they do the same on a State and on a dict.
MAPPING_STEPS: Sequence[str] = (
    "lambda m: m.__setitem__('a', 1)",
    "lambda m: m['a']",
    "lambda m: m.__delitem__('a')",
    "lambda m: m.__setitem__('n', {'x': 5})",
    "lambda m: m['n']['x']",
    "lambda m: m['n'].__setitem__('x', 6)",
    "lambda m: m['n'].__delitem__('x')",
    "lambda m: m['n'].update(y=7)",
    "lambda m: m.__setitem__('o', m['n'])",
    "lambda m: m.pop('a')",
    "lambda m: m.pop('a', 2)",
    "lambda m: m.setdefault('b', 3)",
    "lambda m: m.update({'b': 4, 'c': 5})",
    "lambda m: m.update(d=6)",
    "lambda m: m.get('a')",
    "lambda m: m.get('n', 7)",
    "lambda m: len(m)",
    "lambda m: 'n' in m",
    "lambda m: list(m)",
    "lambda m: list(m.keys())",
    "lambda m: list(m.values())",
    "lambda m: list(m.items())",
    "lambda m: m.clear()",
)


@st.composite
def mapping_programs(draw: st.DrawFn) -> Recipe:
    """Draw `mapping`, a nested dict, and `steps`, a list of functions of a mapping."""
    starts = ("{}", "{'a': 0}", "{'b': 0, 'a': {'x': 1}}", "{'n': {'x': 0}}")
    scope = Scope()
    scope.bind("mapping", draw(st.sampled_from(starts)))
    steps = draw(st.lists(st.sampled_from(MAPPING_STEPS), min_size=1, max_size=6))
    scope.bind("steps", f"[{', '.join(steps)}]")
    return scope.recipe()


@st.composite
def nnx_states(
    draw: st.DrawFn,
    leaves: st.SearchStrategy[Recipe] | None = None,
    *,
    kinds: Sequence[Kind] = NNX_MAPPINGS,
    roots: Sequence[Kind] = NNX_STATES,
    modules: bool = True,
    max_leaves: int = 5,
    alias: bool = False,
) -> Recipe:
    """Draw a Flax NNX `State`: written as nested mappings, or taken from a module.

    Args:
        leaves: strategy of leaf recipes; default `variables()`.
        kinds: the kinds of nested mappings; default string, integer and digit keys, and empty.
        roots: the kinds that the root is drawn from; default `NNX_STATES`.
        modules: also draw `nnx.state(module)`; default `True`.
        max_leaves: leaf budget, at least 1; default 5.
        alias: let one Variable occur twice; default `False`.

    Raises:
        ValueError: `max_leaves` is below 1, or `roots` is empty.
        RuntimeError: flax is not installed.
    """
    if modules and draw(st.integers(0, 3)) == 3:
        module = draw(nnx_modules(max_leaves=max_leaves, alias=alias))
        scope = Scope()
        text = f"nnx.state({scope.include(module)})"
        scope.note("nnx-state", "state:of-module")
        return scope.recipe(text)
    scope = Scope()
    expression = draw_tree(
        draw,
        scope,
        leaves=variables() if leaves is None else leaves,
        kinds=kinds,
        roots=roots,
        max_leaves=max_leaves,
        alias=alias,
    )
    return scope.recipe(expression)
