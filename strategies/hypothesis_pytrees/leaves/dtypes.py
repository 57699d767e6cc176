"""Every dtype as a JAX array, a NumPy array, a 0-d NumPy array and a NumPy scalar."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.kinds import Kind

# Each feature `leaf-is:<group>-<dress>` names one of the groups plain, bfloat16, extended, other.
_PLAIN = (
    *("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32"),
    *("float16", "float32", "complex64"),
)
# Wider than JAX' default precision: NumPy dresses only.
_WIDE = ("int64", "uint64", "float64", "longdouble", "complex128", "clongdouble")
EXTENDED_NAMES = (
    *("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz"),
    *("float8_e5m2fnuz", "float8_e3m4", "float8_e4m3", "float8_e8m0fnu", "float4_e2m1fn"),
    *("int2", "int4", "uint2", "uint4"),
)
_INEXACT = ("float", "double", "complex")
# NumPy dtypes that hold no numbers: name, dtype, two values.
_OTHER = (
    ("str", "'<U2'", "['a', '']"),
    ("bytes", "'S2'", "[b'a', b'']"),
    ("datetime", "'M8[ns]'", "['2020-01-01', 'NaT']"),
    ("timedelta", "'m8[s]'", "[3, 0]"),
    ("record", "[('a', 'i4')]", "[(1,), (2,)]"),
    ("object", "object", "[1, 'a']"),
    ("big-endian", "'>f4'", "[1.5, 0.0]"),
)


def _kind(dress: str, name: str, text: str, inexact: bool, group: str) -> Kind:
    tags = [f"leaf-is:{dress}", f"leaf-is:{group}-{dress}", *["leaf-is:inexact"] * inexact]
    return Kind("leaf", text, (), (f"leaf:{dress}-{name}", *tags))


def _dresses(name: str, array: str, inexact: bool, group: str, jax: bool) -> list[Kind]:
    texts = {
        "numpy": array,
        "numpy-0d": f"{array}[:1].reshape(())",
        "numpy-scalar": f"{array}[0]",
        **({"jax": f"jax.device_put({array})"} if jax else {}),
    }
    return [_kind(dress, name, text, inexact, group) for dress, text in texts.items()]


def _numbers(names: Sequence[str], group: str, *, module: str, jax: bool) -> list[Kind]:
    found: list[Kind] = []
    for name in names:
        array = f"np.asarray([1.5, 0.0]).astype({name if name == 'bool' else f'{module}.{name}'})"
        found += _dresses(name, array, any(part in name for part in _INEXACT), group, jax)
    return list(available(found))


# `np.bool` is younger than NumPy 1, the built-in `bool` names the same dtype everywhere.
PLAIN: Sequence[Kind] = tuple(
    kind
    for names, jax in ((_PLAIN, True), (_WIDE, False))
    for kind in _numbers(names, "plain", module="np", jax=jax)
)
EXTENDED: Sequence[Kind] = (
    *_numbers(("bfloat16",), "bfloat16", module="jnp", jax=True),
    *_numbers(EXTENDED_NAMES, "extended", module="jnp", jax=True),
)
OTHER: Sequence[Kind] = tuple(
    kind
    for name, dtype, values in _OTHER
    for kind in _dresses(
        name, f"np.array({values}, {dtype})", name == "big-endian", "other", jax=False
    )
    # An element of these is not a scalar of that dtype.
    if kind.features[0] not in ("leaf:numpy-scalar-object", "leaf:numpy-scalar-big-endian")
)
EVERY_DTYPE: Sequence[Kind] = (*PLAIN, *EXTENDED, *OTHER)
