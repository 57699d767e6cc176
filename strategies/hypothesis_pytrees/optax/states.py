"""States as optimisers have them: dicts and named tuples in each other, and a key to look for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import probe_first, usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import JAX_ARRAYS, PYTHON_SCALARS, pool
from hypothesis_pytrees.trees.trees import draw_tree

_COUNTED = """\
class CountedState(typing.NamedTuple):
    count: typing.Any
    inner: typing.Any
"""
_MOMENTS = """\
class MomentState(typing.NamedTuple):
    mu: typing.Any
    nu: typing.Any
"""
# Every dict has keys of one type, since JAX sorts them.
NODES_OF_STATES: Sequence[Kind] = (
    Kind("namedtuple", "CountedState($0, $1)", (_COUNTED,)),
    Kind("namedtuple", "MomentState($0, $1)", (_MOMENTS,)),
    Kind("dict", "{'count': $0, 'mu': $1}"),
    Kind("dict", "{'nu': $0}"),
    Kind("dict", "{(0, 1): $0}", features=("dict:tuple-keys",)),
    Kind("OrderedDict", "collections.OrderedDict([('mu', $0), ('count', $1)])"),
    Kind("defaultdict", "collections.defaultdict(list, {'count': $0})"),
    Kind("tuple", "($0, $1)"),
    Kind("list", "[$0]"),
    Kind("list", "[$0, $1]"),
    Kind("tuple", "()"),
    Kind("None", "None"),
)
_PARAMS = "{'w': jax.device_put(np.float32([1.0, 2.0])), 'count': jax.device_put(np.float32(0.5))}"
_OPTIMISERS = {
    "adam": "optax.adam(0.1)",
    "inject_hyperparams": "optax.inject_hyperparams(optax.adam)(0.1)",
    "named_chain": "optax.named_chain(('nu', optax.adam(0.1)), ('count', optax.trace(0.9)))",
    "MultiSteps": "optax.MultiSteps(optax.chain(optax.adam(0.1)), 2)",
    "multi_transform": "optax.multi_transform({'mu': optax.adam(0.1)}, 'mu')",
    "masked": "optax.masked(optax.adam(0.1), {'w': True, 'count': False})",
}
# States of real optimisers.
REAL_STATES: Sequence[Kind] = tuple(
    Kind("optax-state", f"{text}.init({_PARAMS})", features=(f"state:{name}",))
    for name, text in _OPTIMISERS.items()
)
_ARRAYS = tuple(kind for kind in JAX_ARRAYS if "leaf:float32" in kind.features)
_LEAVES = tuple(
    kind
    for kind in (*JAX_ARRAYS, *PYTHON_SCALARS)
    if {"leaf:float32", "leaf:int32", "leaf:int", "leaf:false"} & set(kind.features)
)
# What is set in the place of a value.
_VALUES = ("jnp.float32(2.0)", "np.float32([1.0, 2.0])", "jnp.zeros((5, 7))")
KEYS = ("count", "mu", "nu", "inner", "CountedState", "MomentState", "ScaleByAdamState", "absent")


def searches() -> st.SearchStrategy[Recipe]:
    """Draw a `tree` like the state of an optimiser, a `key` to look for and a `value` to set."""
    return probe_first(lambda: usable(REAL_STATES), _searches())


@st.composite
def _searches(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    real = usable(REAL_STATES)
    inner = usable(NODES_OF_STATES)
    roots = real if real and draw(st.integers(0, 3)) == 3 else (*inner, *_ARRAYS)
    text = draw_tree(draw, scope, leaves=pool(_LEAVES), roots=roots, kinds=inner, max_leaves=5)
    scope.bind("tree", text)
    key = KEYS[draw(st.integers(0, len(KEYS) - 1))]
    tree = scope.value("tree")
    scope.note(f"key:{key}", *["key:found"] * _holds(tree, key), *_described(tree, key))
    scope.bind("key", repr(key))
    scope.define(_COUNTED)
    scope.bind("value", draw(st.sampled_from(_VALUES)))
    return scope.recipe()


def _children(node: Any) -> list[tuple[Any, Any]]:
    fields = getattr(node, "_fields", None)
    if isinstance(node, tuple) and fields is not None:
        return list(zip(fields, node, strict=True))
    if isinstance(node, dict):
        return list(node.items())
    return [(None, child) for child in node] if isinstance(node, (list, tuple)) else []


def _has(node: Any, key: str) -> bool:
    return type(node).__name__ == key or any(name == key for name, _ in _children(node))


def _holds(node: Any, key: str) -> bool:
    return _has(node, key) or any(_holds(child, key) for _, child in _children(node))


def _described(node: Any, key: str) -> Iterator[str]:
    """Yield features of the position of a key, such as inside a node that has the key too."""
    if _has(node, key):
        if isinstance(node, dict) and type(node) is not dict:
            yield "found:in-dict-subclass"
        others = [child for name, child in _children(node) if name != key]
        if any(_holds(child, key) and not _has(child, key) for child in others):
            yield "found:below-holder"
        if any(_holds(child, key) for name, child in _children(node) if name == key):
            yield "found:inside-a-value"
    for _, child in _children(node):
        yield from _described(child, key)
