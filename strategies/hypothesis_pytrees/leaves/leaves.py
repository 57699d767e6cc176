"""Leaves: arrays of every type, scalars, functions, and objects whose methods raise."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe

# Objects that a tree operation must not inspect: they raise when they are compared, truth-tested,
# hashed or printed.
_HOSTILE = '''\
class Hostile:
    """Raises when compared, truth-tested, hashed or printed."""

    def _refuse(self, *_):
        raise RuntimeError("a tree operation looked at a leaf")

    __eq__ = __ne__ = __lt__ = __bool__ = __hash__ = __len__ = __repr__ = _refuse
'''
_OPAQUE = '''\
class Opaque:
    """A plain object without equality."""
'''
_CALLABLE = """\
class CallableObject:
    def __call__(self, *args):
        return args
"""
_COLOUR = """\
class Colour(enum.Enum):
    RED = 1
    BLUE = 2
"""
# A subclass of a container is a leaf unless it is registered. There is none of dict, since a State
# of NNX takes every dict in it for a nested State.
SUBCLASSES = {
    base: f"class {base.title()}Subclass({base}):\n    pass\n" for base in ("str", "tuple", "int")
}
_INT_COLOUR = """\
class IntColour(enum.IntEnum):
    RED = -1
    BLUE = 2
"""


def _leaf(name: str, text: str, *definitions: str, tags: str = "") -> Kind:
    features = (f"leaf:{name}", *(f"leaf-is:{tag}" for tag in tags.split()))
    return Kind("leaf", text, definitions, features)


# device_put of a numpy array: a shape that jnp.zeros has not seen costs a compilation.
JAX_ARRAYS: Sequence[Kind] = (
    _leaf("float32", "jax.device_put(np.float32([1.0, 2.0]))", tags="array inexact"),
    _leaf("float32-scalar", "jax.device_put(np.float32(0.5))", tags="array inexact"),
    _leaf(
        "float32-matrix", "jax.device_put(np.float32([[1, 2, 3], [4, 5, 6]]))", tags="array inexact"
    ),
    _leaf(
        "bfloat16", "jax.device_put(np.asarray([1.0, -0.0], jnp.bfloat16))", tags="array inexact"
    ),
    _leaf("complex64", "jax.device_put(np.complex64([1 + 2j, 0]))", tags="array inexact"),
    _leaf("nan", "jax.device_put(np.float32([np.nan, -0.0]))", tags="array inexact"),
    _leaf("empty", "jax.device_put(np.zeros((0, 3), np.float32))", tags="array inexact"),
    _leaf("weak", "jnp.asarray(2.0)", tags="array inexact"),
    _leaf("int32", "jax.device_put(np.int32([3, 4]))", tags="array"),
    _leaf("bool", "jax.device_put(np.array([True, False]))", tags="array"),
    _leaf("uint8", "jax.device_put(np.uint8([[1, 2, 3], [4, 5, 6]]))", tags="array"),
)
PRNG_KEYS: Sequence[Kind] = (_leaf("key", "jax.random.key(0)", tags="key"),)
NUMPY_ARRAYS: Sequence[Kind] = (
    _leaf("numpy-float32", "np.float32([1.0, 2.0])", tags="numpy inexact"),
    _leaf("numpy-float64", "np.array([1.5, 2.5])", tags="numpy inexact"),
    _leaf("numpy-int64", "np.array([1, 2])", tags="numpy"),
    _leaf("numpy-empty", "np.zeros((0,), np.float32)", tags="numpy inexact"),
    _leaf("numpy-bfloat16", "np.asarray([0.5, 2.0], jnp.bfloat16)", tags="numpy inexact"),
    _leaf("numpy-bool", "np.array([[True]])", tags="numpy"),
)
NUMPY_SCALARS: Sequence[Kind] = (
    _leaf("numpy-scalar", "np.float32(1.0)", tags="numpy-scalar inexact"),
    _leaf("numpy-int-scalar", "np.int32(1)", tags="numpy-scalar"),
    _leaf("numpy-bool-scalar", "np.bool_(True)", tags="numpy-scalar"),
)
PYTHON_SCALARS: Sequence[Kind] = (
    _leaf("int", "1", tags="python"),
    _leaf("zero", "0", tags="python falsy"),
    _leaf("false", "False", tags="python falsy"),
    _leaf("true", "True", tags="python"),
    _leaf("float", "1.0", tags="python inexact"),
    _leaf("minus-zero", "-0.0", tags="python inexact falsy"),
    _leaf("complex", "2j", tags="python inexact"),
    _leaf("big-int", "10**30", tags="python big"),
)
OBJECTS: Sequence[Kind] = (
    _leaf("str", "'text'", tags="object"),
    _leaf("empty-str", "''", tags="object falsy"),
    _leaf("function", "jnp.tanh", tags="object function unpicklable"),
    _leaf("builtin", "math.sin", tags="object function"),
    _leaf("lambda", "lambda x: x", tags="object function unpicklable"),
    _leaf("type", "int", tags="object"),
    _leaf("enum", "Colour.RED", _COLOUR, tags="object"),
    _leaf("slice", "slice(1, None)", tags="object"),
    _leaf("object", "Opaque()", _OPAQUE, tags="object"),
    _leaf("str-array", "np.array(['a', 'b'])", tags="object"),
    _leaf("frozenset", "frozenset({1})", tags="object"),
    _leaf("bytes", "b'text'", tags="object"),
    _leaf("range", "range(3)", tags="object"),
    _leaf("dtype", "np.dtype('float32')", tags="object"),
    _leaf("scalar-type", "jnp.float32", tags="object"),
    _leaf("str-subclass", "StrSubclass('text')", SUBCLASSES["str"], tags="object"),
    _leaf("tuple-subclass", "TupleSubclass((1.0, 2))", SUBCLASSES["tuple"], tags="object"),
    _leaf("shape-dtype-struct", "jax.ShapeDtypeStruct((2,), jnp.float32)", tags="object abstract"),
)
# Callables that are not functions.
CALLABLE_OBJECTS: Sequence[Kind] = (
    _leaf("partial", "functools.partial(max, 1)", tags="object function"),
    _leaf("callable-object", "CallableObject()", _CALLABLE, tags="object function"),
)
# Numbers to JAX, which keeps no type of theirs where it makes arrays.
INT_SUBCLASSES: Sequence[Kind] = (
    _leaf("int-subclass", "IntSubclass(3)", SUBCLASSES["int"], tags="python subclass"),
    _leaf("int-enum", "IntColour.RED", _INT_COLOUR, tags="python subclass"),
)
HOSTILE: Sequence[Kind] = (_leaf("hostile", "Hostile()", _HOSTILE, tags="object hostile"),)

COMPARABLE: Sequence[Kind] = (
    *JAX_ARRAYS,
    *PRNG_KEYS,
    *NUMPY_ARRAYS,
    *NUMPY_SCALARS,
    *PYTHON_SCALARS,
    *OBJECTS,
)
EVERY: Sequence[Kind] = (*COMPARABLE, *CALLABLE_OBJECTS, *INT_SUBCLASSES, *HOSTILE)
INEXACT_ARRAYS: Sequence[Kind] = tuple(
    kind for kind in JAX_ARRAYS if "leaf-is:inexact" in kind.features and "complex" not in kind.name
)
REAL_ARRAYS: Sequence[Kind] = tuple(
    kind
    for kind in INEXACT_ARRAYS
    if not {"leaf:complex64", "leaf:nan", "leaf:empty"} & set(kind.features)
)


def recipe_of(kind: Kind) -> Recipe:
    """Return the recipe of a childless kind."""
    return Recipe(kind.definitions, (), kind.template, frozenset((kind.name, *kind.features)))


@functools.cache
def pool(kinds: tuple[Kind, ...]) -> st.SearchStrategy[Recipe]:
    """Return the strategy that draws from these kinds; `kinds_of` gives the kinds back."""
    strategy = st.sampled_from([recipe_of(kind) for kind in kinds])
    _KINDS_OF[strategy] = kinds
    return strategy


@functools.cache
def usable_pool(kinds: tuple[Kind, ...]) -> st.SearchStrategy[Recipe]:
    """Return the strategy that draws from the usable ones of these kinds.

    The kinds are built, and their libraries imported, before the first draw.
    """
    return st.deferred(lambda: pool(usable(kinds)))


_KINDS_OF: dict[st.SearchStrategy[Recipe], tuple[Kind, ...]] = {}


def kinds_of(strategy: st.SearchStrategy[Recipe]) -> tuple[Kind, ...] | None:
    """Return the kinds of a strategy of this module, or `None` for other strategies."""
    return _KINDS_OF.get(strategy)


def leaves(*, hostile: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw any leaf: arrays, scalars, strings, functions, types, plain objects.

    Args:
        hostile: also draw objects whose `==`, `bool`, `hash` and `repr` raise, instances of
            subclasses of `int`, and callables that are not functions; default `False`.
    """
    return pool(tuple(EVERY if hostile else COMPARABLE))


def arrays() -> st.SearchStrategy[Recipe]:
    """Draw a `jax.Array`: few shapes, floating, complex, integer and boolean dtypes, weak types."""
    return pool(tuple(JAX_ARRAYS))


def real_arrays() -> st.SearchStrategy[Recipe]:
    """Draw a `jax.Array` that `jax.grad` accepts: real, floating, finite and not empty."""
    return pool(tuple(REAL_ARRAYS))


def numpy_arrays() -> st.SearchStrategy[Recipe]:
    """Draw a `numpy.ndarray`, bfloat16 and empty ones included."""
    return pool(tuple(NUMPY_ARRAYS))


def scalars() -> st.SearchStrategy[Recipe]:
    """Draw a Python or numpy scalar: falsy ones, `-0.0`, big integers and booleans included."""
    return pool((*PYTHON_SCALARS, *NUMPY_SCALARS))


def objects() -> st.SearchStrategy[Recipe]:
    """Draw a leaf that is not a number: a string, function, type, enum member or plain object."""
    return pool(tuple(OBJECTS))
