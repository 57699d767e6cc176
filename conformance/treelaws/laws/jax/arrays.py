"""JAX: arrays that are made of others: copies, and functions that only move elements."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.ways import way
from treelaws.core.law import Topic
from treelaws.equality import refuses, same

law = Topic("jax.arrays", "JAX: arrays made of others", family="jax")
_API = "https://docs.jax.dev/en/latest/_autosummary"
# A small array is copied in any case, and so is one that is not aligned as XLA wants it.
_ALIGNED = """\
def aligned_array(dtype, shape):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.zeros(size + 64, np.uint8)
    start = -buffer.ctypes.data % 64
    return buffer[start : start + size].view(dtype).reshape(shape)
"""
_DTYPES = ("np.float32", "np.int32", "np.uint8", "np.complex64", "jnp.bfloat16", "bool")
_SOURCES = (
    ("aligned", "aligned_array({}, (1024,))"),
    ("aligned", "aligned_array({}, (64, 32))"),
    ("strided", "aligned_array({}, (2048,))[::2]"),
    ("reversed", "aligned_array({}, (1024,))[::-1]"),
    ("transposed", "aligned_array({}, (64, 32)).T"),
    ("offset", "aligned_array({}, (1025,))[1:]"),
    ("small", "aligned_array({}, (2,))"),
    ("scalar", "aligned_array({}, ())"),
)
# Each is documented to give a copy of `array`, or a tree of copies. It says `jax.numpy`, since a
# library under test stands for `jax` alone in such text.
_COPIES = (
    way("array", "jax.numpy.array(array)"),
    way("array-copy", "jax.numpy.array(array, copy=True)"),
    way("asarray-copy", "jax.numpy.asarray(array, copy=True)"),
    way("copy", "jax.numpy.copy(array)"),
    way("copy-of-array", "jax.numpy.copy(jax.numpy.asarray(array))"),
    way("method", "jax.numpy.asarray(array).copy()"),
    way("array-of-array", "jax.numpy.array(jax.numpy.asarray(array))"),
    way("asarray-of-array", "jax.numpy.asarray(jax.numpy.asarray(array), copy=True)"),
    way("astype", "jax.numpy.astype(array, array.dtype, copy=True)"),
    way("deepcopy", "copy.deepcopy(jax.numpy.asarray(array))"),
    way("put", "jax.device_put(array, may_alias=False)"),
    way("put-on-device", "jax.device_put(array, jax.devices()[0], may_alias=False)"),
    way("put-tree", "jax.device_put({'a': array, 'b': (array, None)}, may_alias=False)"),
    way(
        "put-prefix",
        "jax.device_put([array, array], jax.devices()[0], may_alias=[False, False])",
    ),
    way("put-array", "jax.device_put(jax.numpy.asarray(array), may_alias=False)"),
)


@st.composite
def _copied(draw: st.DrawFn) -> Recipe:
    """Bind `array`, of NumPy, and `copied`, which makes copies; feature `source:<kind>`."""
    scope = Scope()
    scope.define(_ALIGNED)
    name, source = draw(st.sampled_from(_SOURCES))
    drawn = draw(st.sampled_from(available(_COPIES)))
    scope.note(f"source:{name}", *drawn.features)
    scope.bind("array", source.format(draw(st.sampled_from(_DTYPES))))
    scope.bind("copied", f"lambda array: {drawn.template}")
    return scope.recipe()


@law(
    "what is documented as a copy keeps its values when the array of NumPy that it was made of is "
    "written to",
    source=f"{_API}/jax.device_put.html",
    case=_copied(),
)
def copies_keep_their_values(lib, case):
    """Documented so for `may_alias=False` and for `copy=True`, which is what `array` does."""
    case.array[...] = 0
    copies = case.copied(case.array)
    # `device_put` returns before the transfer is complete.
    lib.block_until_ready(copies)
    case.array[...] = 1
    zeros = jnp.asarray(np.zeros(case.array.shape, case.array.dtype))
    same(copies, jtu.tree_map(lambda _: zeros, copies))


_TYPED_KEYS = "https://docs.jax.dev/en/latest/jep/9263-typed-keys.html"
# Functions of JAX that only move elements, of an array of three rows and two columns.
_MOVES = tuple(
    way(name, text)
    for name, text in (
        ("copy", "copy.copy(array)"),
        ("deepcopy", "copy.deepcopy({'a': array})"),
        ("pickle", "pickle.loads(pickle.dumps([array, None]))"),
        ("pickle-one", "pickle.loads(pickle.dumps(array[0, 0]))"),
        ("method-copy", "array.copy()"),
        ("array-of-array", "jax.numpy.array(array)"),
        ("put-on-device", "jax.device_put((array,), jax.devices()[0])"),
        ("rows", "[*array]"),
        ("index", "array[1]"),
        ("slice", "array[::-1, 1:]"),
        ("take-rows", "array[jnp.array([2, 0])]"),
        ("mask", "array[np.array([True, False, True])]"),
        ("reshape", "array.reshape(2, 3)"),
        ("ravel", "jnp.ravel(array)"),
        ("transpose", "array.T"),
        ("swapaxes", "jnp.swapaxes(array, 0, 1)"),
        ("moveaxis", "jnp.moveaxis(array, 0, -1)"),
        ("expand-dims", "jnp.expand_dims(array, (0, 2))"),
        ("squeeze", "jnp.squeeze(array[None])"),
        ("flip", "jnp.flip(array, 0)"),
        ("roll", "jnp.roll(array, 1, axis=0)"),
        ("repeat", "jnp.repeat(array, 2, axis=0)"),
        ("tile", "jnp.tile(array, (2, 1))"),
        ("broadcast", "jnp.broadcast_to(array, (2, 3, 2))"),
        ("concatenate", "jnp.concatenate([array, array[:1]])"),
        ("stack", "jnp.stack([array, array], axis=1)"),
        ("split", "jnp.split(array, 3)"),
        ("where", "jnp.where(np.array([[True, False]] * 3), array, array[::-1])"),
        ("take", "jnp.take(array, jnp.array([1, 1]), axis=0)"),
        ("take-along", "jnp.take_along_axis(array, jnp.array([[1], [0], [1]]), 1)"),
        ("at-set", "array.at[0].set(array[2])"),
        ("at-get", "array.at[1].get()"),
        ("dynamic-slice", "jax.lax.dynamic_slice(array, (1, 0), (2, 1))"),
        ("dynamic-update", "jax.lax.dynamic_update_slice(array, array[:1], (2, 0))"),
        ("dynamic-index", "jax.lax.dynamic_index_in_dim(array, 1)"),
        ("select", "jax.lax.select(np.array([[True, False]] * 3), array, array[::-1])"),
        ("rev", "jax.lax.rev(array, (1,))"),
        ("cond", "jax.lax.cond(True, lambda one: one, lambda one: one[::-1], array)"),
        ("scan", "jax.lax.scan(lambda held, row: (row, held), array[0], array)"),
        ("map", "jax.lax.map(lambda row: row[::-1], array)"),
        ("map-batched", "jax.lax.map(lambda row: row[::-1], array, batch_size=2)"),
        ("vmap", "jax.vmap(lambda row: row[0])(array)"),
        ("fori-loop", "jax.lax.fori_loop(0, 2, lambda step, held: held[::-1], array)"),
        ("jit", "jax.jit(lambda one: one.T)(array)"),
        ("associative-scan", "jax.lax.associative_scan(lambda one, other: other, array)"),
        ("choice", "jax.random.choice(jax.random.key(1), array, (4,))"),
        ("permutation", "jax.random.permutation(jax.random.key(1), array)"),
        ("permutation-vector", "jax.random.permutation(jax.random.key(1), array[:, 0])"),
        ("permutation-inner", "jax.random.permutation(jax.random.key(1), array, axis=1)"),
        (
            "permutation-independent",
            "jax.random.permutation(jax.random.key(1), array, axis=1, independent=True)",
        ),
    )
)
_KEYS = (
    "jax.random.split(jax.random.key(0), (3, 2))",
    "jax.random.split(jax.random.key(7, impl='rbg'), (3, 2))",
)


@st.composite
def _moved(draw: st.DrawFn) -> Recipe:
    """Bind `keys` and `move`, a function that moves the elements of an array."""
    scope = Scope()
    drawn = draw(st.sampled_from(available(_MOVES)))
    scope.note(*drawn.features)
    scope.bind("keys", draw(st.sampled_from(_KEYS)))
    scope.bind("move", f"lambda array: {drawn.template}")
    return scope.recipe()


@law(
    "a function that only moves the elements of an array moves random keys as it moves numbers",
    # An array of keys "behaves the same as any other JAX array, except that its element type is a
    # key": numerical operations are refused, and these are none.
    source=_TYPED_KEYS,
    level="should",
    case=_moved(),
)
def keys_are_moved_as_numbers_are(lib, case):
    places = case.move(jnp.arange(case.keys.size).reshape(case.keys.shape))
    wanted = jtu.tree_map(lambda place: case.keys.ravel()[place], places)
    same(case.move(case.keys), wanted)


# What asks for numbers.
_NUMERIC = tuple(
    way(name, text)
    for name, text in (
        ("bool", "bool(keys)"),
        ("not", "not keys"),
        ("if", "1 if keys else 2"),
        ("any", "any([keys])"),
        ("int", "int(keys)"),
        ("float", "float(keys)"),
        ("complex", "complex(keys)"),
        ("index", "'text'[keys]"),
        ("range", "range(keys)"),
        ("abs", "abs(keys)"),
        ("negative", "-keys"),
        ("invert", "~keys"),
        ("add", "keys + 1"),
        ("radd", "1 + keys"),
        ("multiply", "keys * keys"),
        ("power", "keys ** 2"),
        ("less", "keys < keys"),
        ("less-than-number", "keys < 1"),
        ("shift", "keys << 1"),
        ("and", "keys & keys"),
        ("sum", "jnp.sum(keys)"),
        ("sin", "jnp.sin(keys)"),
        ("to-numpy", "np.asarray(keys)"),
        ("where-condition", "jnp.where(keys, 1, 2)"),
        ("condition", "jax.lax.cond(keys, lambda: 1, lambda: 2)"),
        ("format", "f'{keys:.2f}'"),
        ("grad", "jax.grad(lambda keys: 1.0)(keys)"),
    )
)


@st.composite
def _asked(draw: st.DrawFn) -> Recipe:
    """Bind `keys`, an array of random keys or one key, and `ask`, which asks it for numbers."""
    scope = Scope()
    drawn = draw(st.sampled_from(available(_NUMERIC)))
    scope.note(*drawn.features)
    several = draw(st.booleans())
    scope.note("keys:several" if several else "keys:one")
    scope.bind("keys", draw(st.sampled_from(_KEYS)) + ("" if several else "[0, 1]"))
    scope.bind("ask", f"lambda keys: {drawn.template}")
    return scope.recipe()


@law(
    "an array of random keys refuses what asks for numbers or for a truth value, in each protocol "
    "of Python and under `jit`",
    source=_TYPED_KEYS,
    level="should",
    case=_asked(),
)
def keys_are_no_numbers(lib, case):
    """Operations "like multiplication" are not for keys: "add does not accept dtypes key<fry>"."""
    for ask in (case.ask, lib.jit(case.ask), lambda keys: case.ask(lib.device_put(keys))):
        refuses((TypeError, ValueError), lambda ask=ask: ask(case.keys))
