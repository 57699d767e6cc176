"""Functions of Optax that work leaf by leaf, each with what it does to one leaf, as text."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available, probe_first
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

from .params import sources
from .roots import draw_numbers

# Before, both limits of `tree_clip` had to be given.
_ONE_LIMIT = Since(
    "tree_clip with one limit",
    "optax>=0.2.5",
    "https://github.com/google-deepmind/optax/blob/v0.2.5/optax/tree_utils/_tree_math.py",
)
# A call on the trees `$0` and `$1`, and the result for their leaves `x` and `y`. Parameters are
# real; a leaf with an imaginary part is `x * (1 + 2j)`.
_CALLS: Sequence[tuple[str, str, str]] = (
    ("tree_add", "optax.tree_utils.tree_add($0, $1, $0)", "x + y + x"),
    ("tree_scale", "optax.tree_utils.tree_scale(0.5, $0)", "0.5 * x"),
    ("tree_scale", "optax.tree_utils.tree_scale(jnp.float32(0.5), $0)", "jnp.float32(0.5) * x"),
    ("tree_add_scale", "optax.tree_utils.tree_add_scale($0, 0.5, $1)", "x + 0.5 * y"),
    ("tree_real", "optax.tree_utils.tree_real($0)", "x"),
    ("tree_conj", "optax.tree_utils.tree_conj($0)", "x"),
    (
        "tree_batch_shape",
        "optax.tree_utils.tree_batch_shape($0, (2, 3))",
        "jnp.stack([jnp.stack([x] * 3)] * 2)",
    ),
    ("tree_batch_shape", "optax.tree_utils.tree_batch_shape($0)", "x"),
    ("tree_clip", "optax.tree_utils.tree_clip($0, -0.5, 1.5)", "jnp.clip(x, -0.5, 1.5)"),
    ("tree_clip", "optax.tree_utils.tree_clip($0, 0.25)", "jnp.clip(x, 0.25, None)"),
    ("tree_clip", "optax.tree_utils.tree_clip($0, max_value=0.25)", "jnp.clip(x, None, 0.25)"),
    ("tree_clip", "optax.tree_utils.tree_clip($0)", "x"),
    (
        "tree_full_like",
        "optax.tree_utils.tree_full_like($0, 3, dtype=jnp.int32)",
        "jnp.full(x.shape, 3, jnp.int32)",
    ),
    (
        "tree_ones_like",
        "optax.tree_utils.tree_ones_like($0, dtype=jnp.int32)",
        "jnp.full(x.shape, 1, jnp.int32)",
    ),
    ("tree_where", "optax.tree_utils.tree_where(jnp.array(False), $0, $1)", "y"),
    (
        "tree_update_moment",
        "optax.tree_utils.tree_update_moment($0, $1, 0.75, 2)",
        "0.25 * (x * x) + 0.75 * y",
    ),
    (
        "tree_update_moment",
        "optax.tree_utils.tree_update_moment($0, $1, 0.75, 1)",
        "0.25 * x + 0.75 * y",
    ),
    (
        "tree_update_moment_per_elem_norm",
        "optax.tree_utils.tree_update_moment_per_elem_norm($0, $1, 0.75, 2)",
        "0.25 * (x * x) + 0.75 * y",
    ),
    (
        "tree_update_infinity_moment",
        "optax.tree_utils.tree_update_infinity_moment($0, $1, 0.75, 0.5)",
        "jnp.maximum(abs(x) + 0.5, 0.75 * y)",
    ),
    (
        "tree_bias_correction",
        "optax.tree_utils.tree_bias_correction($0, 0.5, jnp.int32(2))",
        "x / jnp.asarray(0.75, x.dtype)",
    ),
)
_COMPLEX: Sequence[tuple[str, str, str]] = (
    ("tree_real", "optax.tree_utils.tree_real($0)", "x.real"),
    ("tree_conj", "optax.tree_utils.tree_conj($0)", "x.real - 1j * x.imag"),
    ("tree_scale", "optax.tree_utils.tree_scale(0.5, $0)", "0.5 * x"),
    (
        "tree_update_moment_per_elem_norm",
        "optax.tree_utils.tree_update_moment_per_elem_norm($0, $1, 0.75, 2)",
        "0.25 * (x.real * x.real + x.imag * x.imag) + 0.75 * y",
    ),
)

# The same for trees of integers, with factors that are fractions.
_FRACTIONS: Sequence[tuple[str, str, str]] = (
    ("tree_scale", "optax.tree_utils.tree_scale(0.5, $0)", "0.5 * x"),
    ("tree_scale", "optax.tree_utils.tree_scale(jnp.float32(-0.25), $0)", "-0.25 * x"),
    ("tree_add_scale", "optax.tree_utils.tree_add_scale($0, 0.5, $1)", "x + 0.5 * y"),
    ("tree_add_scale", "optax.tree_utils.tree_add_scale($0, jnp.float32(1.5), $1)", "x + 1.5 * y"),
    ("tree_add_scale", "optax.tree_utils.tree_add_scale($0, 0.25, $0)", "x + 0.25 * x"),
    ("tree_add", "optax.tree_utils.tree_add($0, $1)", "x + y"),
    ("tree_sub", "optax.tree_utils.tree_sub($0, $1)", "x - y"),
    ("tree_mul", "optax.tree_utils.tree_mul($0, $1)", "x * y"),
    ("tree_div", "optax.tree_utils.tree_div($0, $1)", "x / y"),
    ("tree_clip", "optax.tree_utils.tree_clip($0, -0.5, 2.5)", "jnp.clip(x, -0.5, 2.5)"),
    (
        "tree_update_moment",
        "optax.tree_utils.tree_update_moment($0, $1, 0.75, 2)",
        "0.25 * (x * x) + 0.75 * y",
    ),
    (
        "tree_update_moment_per_elem_norm",
        "optax.tree_utils.tree_update_moment_per_elem_norm($0, $1, 0.75, 2)",
        "0.25 * (x * x) + 0.75 * y",
    ),
    (
        "tree_update_infinity_moment",
        "optax.tree_utils.tree_update_infinity_moment($0, $1, 0.75, 0.5)",
        "jnp.maximum(abs(x) + 0.5, 0.75 * y)",
    ),
)


def _needs(text: str) -> tuple[Since, ...]:
    return (_ONE_LIMIT,) if "tree_clip" in text and text.count(",") < 2 else ()


_MEANT = {
    Kind(name, text, takes="array", needs=_needs(text)): (meant, table is _COMPLEX)
    for table in (_CALLS, _COMPLEX)
    for name, text, meant in table
}

_OF_FRACTIONS = {
    Kind(name, text, takes="array", needs=_needs(text)): meant for name, text, meant in _FRACTIONS
}
_INTEGERS = ("int8", "int16", "int32")
_FLOATING = ("float32", "float16")


@st.composite
def fractional_calls(draw: st.DrawFn) -> Recipe:
    """Draw `tree` and `other` of integers, of floats or of both, `call` and `of_leaves`.

    The numbers of the result of the call are to be those of `of_leaves`, whatever their dtypes.
    """
    scope = Scope()
    kind = draw(st.sampled_from(available(tuple(_OF_FRACTIONS))))
    scope.note(f"leafwise:{kind.name}")
    drawn = []
    for tree in ("tree", "other"):
        names = draw(st.lists(st.sampled_from((*_INTEGERS, *_FLOATING)), min_size=2, max_size=2))
        numbers = st.sampled_from((1, 2, 4, -1, -2))
        leaves = [f"jnp.asarray([{draw(numbers)}, {draw(numbers)}], jnp.{name})" for name in names]
        scope.bind(tree, f"{{'b': {leaves[0]}, 'a': [None, ({leaves[1]},)]}}")
        scope.note(*(f"{tree}:{'integers' if 'int' in name else 'floats'}" for name in names))
        drawn.append(names)
    scope.note(*["dtypes:differ"] * (drawn[0] != drawn[1]))
    scope.bind("call", f"lambda tree, other: {kind.text(['tree', 'other'])}")
    scope.bind("of_leaves", f"lambda x, y: {_OF_FRACTIONS[kind]}")
    return scope.recipe()


def leafwise_calls() -> st.SearchStrategy[Recipe]:
    """Draw trees `tree` and `other`, and `calls`, pairs of a function of both and one of leaves.

    The result of the first function is to be that of the second on each pair of leaves.
    """
    return probe_first(sources, _calls())


@st.composite
def _calls(draw: st.DrawFn) -> Recipe:
    scope = Scope()
    is_complex = draw(st.integers(0, 3)) == 3
    kinds = [kind for kind in available(tuple(_MEANT)) if _MEANT[kind][1] is is_complex]
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=14, unique=True))
    scope.note(*(f"leafwise:{kind.name}" for kind in drawn))
    draw_numbers(draw, scope)
    scale = "leaf * (1 + 2j)" if is_complex else "leaf"
    scope.bind("tree", f"jtu.tree_map(lambda leaf: {scale}, params)")
    scope.bind("other", "jtu.tree_map(lambda leaf: leaf * 0.5 + 1, tree)")
    texts = []
    for kind in drawn:
        call = kind.text(["tree", "other"])
        texts.append(f"(lambda tree, other: {call}, lambda x, y: {_MEANT[kind][0]})")
    scope.bind("calls", f"[{', '.join(texts)}]")
    return scope.recipe()


_DTYPES = ("int8", "uint8", "int32", "float16", "bfloat16", "float32")
# As documented, the dtype of a tree without leaves is the default one of JAX.
_NO_LEAVES = ("None", "[]", "()", "[None, {}]")


@st.composite
def trees_of_dtypes(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, a tree of arrays, and `dtypes`, the dtypes of its leaves in order.

    If there are no leaves, `dtypes` holds the default dtype alone.
    """
    scope = Scope()
    if draw(st.integers(0, 2)) == 2:
        scope.note("dtypes:default")
        scope.bind("tree", draw(st.sampled_from(_NO_LEAVES)))
        scope.bind("dtypes", "[jnp.zeros(()).dtype]")
        return scope.recipe()
    names = draw(st.lists(st.sampled_from(_DTYPES), min_size=1, max_size=3))
    scope.note(f"dtypes:{min(len({*names}), 3)}")
    leaves = [f"jnp.zeros({place}, jnp.{name})" for place, name in enumerate(names)]
    scope.bind(
        "tree",
        f"{{'a': {leaves[0]}, 'b': [None, ({''.join(f'{leaf}, ' for leaf in leaves[1:])})]}}",
    )
    scope.bind("dtypes", f"[{', '.join(f'jnp.dtype(jnp.{name})' for name in names)}]")
    return scope.recipe()


_COUNTS = ("int8", "uint8", "int32", "uint32", "float16", "float32")


@st.composite
def counts(draw: st.DrawFn) -> Recipe:
    """Draw `count`, a number of any dtype, and `after`, one more; the largest one for itself."""
    scope = Scope()
    dtype = f"jnp.{draw(st.sampled_from(_COUNTS))}"
    most = f"jnp.{'f' if 'float' in dtype else 'i'}info({dtype}).max"
    count, after = draw(st.sampled_from((("0", "1"), ("7", "8"), (most, most))))
    scope.bind("count", f"jnp.asarray({count}, {dtype})")
    scope.bind("after", f"jnp.asarray({after}, {dtype})")
    scope.note("count:largest" if count == most else "count:other")
    return scope.recipe()
