"""Cases of `tree_equal`: trees that are equal, or that are easily confused."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from hypothesis import strategies as st

from hypothesis_pytrees import CONTAINERS, NODES, Kind, Recipe
from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.recipe import Scope
from hypothesis_pytrees.trees.trees import draw_tree, every_kind

_HUE = """\
class Hue(enum.Enum):
    RED = 1
    BLUE = 2
"""
# Values that are easily confused, the simplest first.
_ARRAYS = (
    "jax.device_put(np.float32([1.0, 2.0]))",
    "np.float32([1.0, 2.0])",
    "jax.device_put(np.float32([1.0, 3.0]))",
    "np.float32([1.0, 3.0])",
    "jax.device_put(np.int32([1, 2]))",
    "np.int32([1, 2])",
    "np.float64([1.0, 2.0])",
    "jax.device_put(np.asarray([1.0, 2.0], jnp.bfloat16))",
    "np.asarray([1.0, 2.0], jnp.bfloat16)",
    "np.float32([[1.0], [2.0]])",
)
_LOOKALIKES = (
    _ARRAYS,
    (
        "1",
        "1.0",
        "True",
        "2",
        "1 + 0j",
        "np.int32(1)",
        "np.float32(1.0)",
        "np.bool_(True)",
        "np.array(1.0, np.float32)",
        "jax.device_put(np.float32(1.0))",
        "jnp.asarray(1.0)",
    ),
    ("0", "0.0", "-0.0", "False", "np.float32(-0.0)", "jax.device_put(np.float32(0.0))", "''"),
    ("'a'", "'b'", "np.array(['a'])", "np.array('a')", "b'a'"),
    ("float('nan')", "jax.device_put(np.float32(np.nan))", "np.float32(np.nan)"),
    (
        "np.zeros((0, 3), np.float32)",
        "jax.device_put(np.zeros((0, 3), np.float32))",
        "np.zeros((0,), np.float32)",
    ),
    ("None", "()", "[]", "{}", "0"),
    ("jax.random.key(0)", "jax.random.key(1)"),
    ("Hue.RED", "Hue.BLUE", "int", "math.sin", "slice(1, None)", "10**30", "1e30"),
)
# Arrays and numbers are drawn as often as all the rest.
_COMMON = (*_LOOKALIKES[:2] * 3, *_LOOKALIKES)
_SLOTS = re.compile(r"\bSLOT\b")
_slots = st.just(Recipe(expression="SLOT"))


def _draw_alike(
    draw: st.DrawFn,
    scope: Scope,
    count: int,
    groups: tuple[tuple[str, ...], ...] = _LOOKALIKES,
    *,
    change: st.SearchStrategy[bool],
    kinds: tuple[Kind, ...] | None = None,
    max_leaves: int = 4,
) -> list[str]:
    """Draw one structure and write it `count` times, with leaves that are equal or look equal."""
    scope.define(_HUE)
    kinds = _repeatable() if kinds is None else kinds
    skeleton = draw_skeleton(draw, scope, kinds=kinds, max_leaves=max_leaves)
    slots = len(_SLOTS.findall(skeleton))
    drawn = [draw(st.sampled_from(groups)) for _ in range(slots)]
    first = [draw(st.sampled_from(group)) for group in drawn]
    texts = [first]
    for _ in range(count - 1):
        changes = [draw(change) for _ in drawn]
        texts.append(
            [
                draw(st.sampled_from(group)) if change else text
                for group, text, change in zip(drawn, first, changes, strict=True)
            ]
        )
    return [filled(skeleton, leaves) for leaves in texts]


@functools.cache
def _repeatable() -> tuple[Kind, ...]:
    """Return the kinds of nodes whose own leaves are equal if their text runs twice.

    A WeightNorm holds a `functools.partial`, which equals itself alone.
    """
    return tuple(kind for kind in every_kind() if "layer:weight-norm" not in kind.features)


def draw_skeleton(
    draw: st.DrawFn,
    scope: Scope,
    *,
    kinds: tuple[Kind, ...] | None = None,
    max_leaves: int = 4,
) -> str:
    """Draw the text of a tree whose leaves `filled` replaces."""
    return draw_tree(draw, scope, leaves=_slots, kinds=kinds, alias=False, max_leaves=max_leaves)


def filled(skeleton: str, leaves: Iterable[str]) -> str:
    """Return a skeleton with the texts of its leaves; texts that are not needed are ignored."""
    waiting = iter(leaves)
    return _SLOTS.sub(lambda _: next(waiting), skeleton)


@st.composite
def alike(draw: st.DrawFn, count: int = 2, *, max_leaves: int = 1) -> Recipe:
    """Draw trees named `one`, `other` and `third` that are equal or look equal."""
    scope = Scope()
    # Three trees are a chain, which is interesting if one link confuses two values.
    groups, change = (_COMMON, st.booleans()) if count == 2 else (_LOOKALIKES[:2], st.just(True))
    texts = _draw_alike(draw, scope, count, groups, change=change, max_leaves=max_leaves)
    for name, text in zip(("one", "other", "third"), texts, strict=False):
        scope.bind(name, f"[{text}]" if draw(st.integers(0, 9)) == 9 else text)
    return scope.recipe()


@st.composite
def alike_arrays(draw: st.DrawFn) -> Recipe:
    """Draw two trees of arrays, at least one a `jax.Array`, that are equal or look equal."""
    scope = Scope()
    texts = _draw_alike(draw, scope, 2, (_ARRAYS,), change=st.booleans())
    for name, text in zip(("one", "other"), texts, strict=True):
        scope.bind(name, f"[{_ARRAYS[0]}, {text}]")
    return scope.recipe()


@st.composite
def without_arrays(draw: st.DrawFn) -> Recipe:
    """Draw a tree without arrays and write it twice: `one` and `other`."""
    scope = Scope()
    groups = (("1", "True", "2.5", "'a'", "None", "int", "Hue.RED", "10**30"),)
    kinds = usable((*CONTAINERS, *NODES))
    one, other = _draw_alike(draw, scope, 2, groups, change=st.just(False), kinds=kinds)
    scope.bind("one", one)
    scope.bind("other", other)
    return scope.recipe()


@st.composite
def with_one_other_leaf(draw: st.DrawFn, pairs: tuple[tuple[str, str], ...]) -> Recipe:
    """Draw two trees that differ in one leaf: each holds one value of one of the pairs."""
    scope = Scope()
    one, other = _draw_alike(draw, scope, 2, _LOOKALIKES[:2], change=st.just(False))
    left, right = draw(st.permutations(draw(st.sampled_from(pairs))))
    scope.bind("one", f"[{one}, {left}]")
    scope.bind("other", f"[{other}, {right}]")
    return scope.recipe()


OTHER_VALUE = (
    ("jax.device_put(np.float32([1.0, 2.0]))", "jax.device_put(np.float32([1.0, 3.0]))"),
    ("np.float32([1.0, 2.0])", "jax.device_put(np.float32([1.0, 3.0]))"),
    ("np.int32([1, 2])", "np.int32([1, 3])"),
    ("np.float32(1.0)", "np.float32(np.nextafter(np.float32(1.0), np.float32(2.0)))"),
    ("np.array([True])", "np.array([False])"),
    ("jax.random.key(0)", "jax.random.key(1)"),
    ("1", "2"),
    ("1", "'1'"),
    ("1.0", "1.0 + 2**-52"),
    ("'a'", "'b'"),
    ("math.sin", "math.cos"),
    ("float('nan')", "float('nan')"),
    ("np.float32([np.nan])", "np.float32([np.nan])"),
    ("jax.device_put(np.float32([np.nan]))", "jax.device_put(np.float32([np.nan]))"),
)
OTHER_SHAPE = (
    ("np.zeros((2, 1), np.float32)", "np.zeros((1, 2), np.float32)"),
    ("np.zeros((2,), np.float32)", "jax.device_put(np.zeros((1, 2), np.float32))"),
    ("jax.device_put(np.zeros((0, 3), np.float32))", "np.zeros((0,), np.float32)"),
    ("jax.device_put(np.float32(1.0))", "jax.device_put(np.float32([1.0]))"),
    ("np.float32(1.0)", "np.float32([1.0])"),
)
OTHER_DTYPE = (
    ("np.float32([1.0])", "np.float64([1.0])"),
    ("np.float32([1.0])", "jax.device_put(np.int32([1]))"),
    ("jax.device_put(np.int32([1]))", "jax.device_put(np.array([True]))"),
    ("jax.device_put(np.float32([1.0]))", "jax.device_put(np.complex64([1.0]))"),
    ("np.asarray([1.0], jnp.bfloat16)", "np.float16([1.0])"),
    ("np.uint8([1])", "np.int8([1])"),
    ("jax.random.key(0)", "jax.random.key_data(jax.random.key(0))"),
)
NUMPY_AND_JAX = (
    ("np.float32([1.0, 2.0])", "jax.device_put(np.float32([1.0, 2.0]))"),
    ("np.int32([1, 2])", "jax.device_put(np.int32([1, 2]))"),
    ("np.float32(1.0)", "jax.device_put(np.float32(1.0))"),
    ("np.asarray([1.0], jnp.bfloat16)", "jax.device_put(np.asarray([1.0], jnp.bfloat16))"),
    ("np.zeros((0, 3), np.float32)", "jax.device_put(np.zeros((0, 3), np.float32))"),
    ("np.array([True])", "jax.device_put(np.array([True]))"),
    ("np.float32([-0.0])", "jax.device_put(np.float32([0.0]))"),
)
ARRAY_AND_SCALAR = (
    ("1.0", "jax.device_put(np.float32(1.0))"),
    ("1.0", "jnp.asarray(1.0)"),
    ("1.0", "np.float64(1.0)"),
    ("1", "np.array(1)"),
    ("True", "np.bool_(True)"),
    ("'a'", "np.array('a')"),
)

_DTYPES = ("float32", "complex64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
_NUMPY_DTYPES = (*_DTYPES, "float64", "complex128")
_NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
_EXACT = ("int32", "uint8", "bool", "int8")


@st.composite
def tolerances(draw: st.DrawFn, *, exact: bool = False) -> Recipe:
    """Draw two arrays that differ by 0.5, and the tolerances `enough` and `too_little`.

    Args:
        exact: draw integers that differ by 1, and booleans, instead; default `False`.
    """
    scope = Scope()
    numpy = draw(st.sampled_from(((True, True), (False, False), (True, False), (False, True))))
    dtype = draw(st.sampled_from(_EXACT if exact else _NUMPY_DTYPES if all(numpy) else _DTYPES))
    if all(numpy) and dtype in _NARROW:
        scope.note("numpy:narrow-float")
    values = ("[0, 1]", "[0, 0]") if exact else ("[1.0, 2.0]", "[1.0, 2.5]")
    for name, values_text, is_numpy in zip(("one", "other"), values, numpy, strict=True):
        text = f"np.asarray({values_text}, jnp.{dtype})"
        scope.bind(name, f"[{text if is_numpy else f'jax.device_put({text})'}]")
    option = draw(st.sampled_from(("rtol", "atol")))
    dress = draw(st.sampled_from(("{}", "np.float32({})", "jnp.asarray({})")))
    enough, little = ("0.3", "0.1") if option == "rtol" else ("0.75", "0.25")
    scope.bind("enough", f"dict({option}={dress.format('9.0' if exact else enough)})")
    scope.bind("too_little", f"dict({option}={dress.format(little)})")
    return scope.recipe()
