"""Gradients and parameters of any two dtypes, for wrappers and for the transformations in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.tree_util as jtu
from hypothesis import strategies as st

from hypothesis_pytrees.core.recipe import Recipe, Scope

_INNER = (
    "optax.adamw(0.5)",
    "optax.sgd(0.5)",
    "optax.sgd(0.5, momentum=0.5)",
    "optax.adam(0.5, b1=0.5)",
    "optax.scale(-2.0)",
    "optax.add_decayed_weights(0.5)",
    "optax.chain(optax.trace(0.5), optax.scale(0.5))",
)
# With transformations that the tests of Optax use for complex numbers.
_INNER_OF_COMPLEX = ("optax.sgd(0.5)", "optax.adam(0.5)", "optax.scale(-2.0)", "optax.trace(0.5)")
_REAL = ("float32", "bfloat16", "float16")
# A wrapper of `inner` that gives its updates, and after how many steps with the same gradients.
_WRAPPERS: Sequence[tuple[str, str, int]] = (
    ("MultiSteps", "optax.MultiSteps(inner, 2)", 2),
    ("MultiSteps-1", "optax.MultiSteps(inner, 1)", 1),
    (
        "MultiSteps-skip",
        "optax.MultiSteps(inner, 2, should_skip_update_fn=optax.skip_not_finite)",
        2,
    ),
    ("apply_if_finite", "optax.apply_if_finite(inner, 2)", 1),
    ("conditionally_mask", "optax.conditionally_mask(inner, lambda step: step < 1)", 1),
    ("conditionally_transform", "optax.conditionally_transform(inner, lambda step: step < 1)", 1),
    ("masked", "optax.masked(inner, True)", 1),
    ("multi_transform", "optax.multi_transform({'a': inner}, 'a')", 1),
    ("chain", "optax.chain(inner, optax.identity())", 1),
)
_TREES = ("{}", "[{}, None, {}]", "{{'b': {}, 'a': ({},)}}")


@st.composite
def wrapped_dtypes(draw: st.DrawFn) -> Recipe:
    """Draw `tx` around `inner`, `params` and `grads`, whose dtypes differ or not, and `length`.

    After `length` steps with `grads`, `tx` gives the updates of the first step of `inner`.
    """
    scope = Scope()
    is_complex = draw(st.booleans())
    tree = draw(st.sampled_from(_TREES))
    size = tree.replace("{{", "").count("{}")
    dtypes = ("complex64",) if is_complex else _REAL
    texts: tuple[list[str], list[str]] = ([], [])
    for _ in range(size):
        pair = [draw(st.sampled_from(dtypes)) for _ in texts]
        number = draw(st.sampled_from(("1.5", "-2.0", "0.25")))
        for row, dtype, value in zip(texts, pair, (number, "0.5"), strict=True):
            turned = f"{value} * (1 + 2j)" if is_complex else value
            row.append(f"jnp.asarray([{turned}, 2.0], jnp.{dtype})")
        scope.note("dtypes:same" if pair[0] == pair[1] else "dtypes:differ")
    scope.note("dtypes:complex" if is_complex else "dtypes:real")
    scope.bind("params", tree.format(*texts[0]))
    scope.bind("grads", tree.format(*texts[1]))
    scope.bind("inner", draw(st.sampled_from(_INNER_OF_COMPLEX if is_complex else _INNER)))
    scope.note(*["inner:changes-dtypes"] * (not _keeps_dtypes(scope)))
    name, text, length = draw(st.sampled_from(_WRAPPERS))
    scope.note(f"wrapper:{name}")
    scope.bind("tx", text)
    scope.bind("length", repr(length))
    return scope.recipe()


def _keeps_dtypes(scope: Scope) -> bool:
    """Return whether the inner updates have the dtypes of the gradients, and the state its own."""
    inner, grads, params = (scope.value(name) for name in ("inner", "grads", "params"))

    def step(grads: Any, params: Any) -> tuple[Any, Any]:
        state = inner.init(params)
        return (grads, state), inner.update(grads, state, params)

    given, found = (jtu.tree_leaves(one) for one in jax.eval_shape(step, grads, params))
    return all(new.dtype == old.dtype for new, old in zip(found, given, strict=True))


_NUMBERS = ("0.0", "3.0", "-4.0", "0.5", "4j", "3.0 - 4j")
_BAD = ("np.inf", "-np.inf", "np.nan", "complex(1.0, np.nan)", "complex(np.inf, 0.0)")


@st.composite
def updates_of_dtypes(draw: st.DrawFn) -> Recipe:
    """Draw `updates`, a tree of real and complex arrays, of which some may not be finite."""
    scope = Scope()
    leaves = []
    for _ in range(3):
        dtype = draw(st.sampled_from((*_REAL, "complex64", "complex64")))
        scope.note(f"updates:{dtype}")
        pool = (*_NUMBERS, *_BAD) if draw(st.integers(0, 2)) == 0 else _NUMBERS
        real = tuple(text for text in pool if "j" not in text and "complex" not in text)
        row = draw(st.lists(st.sampled_from(pool if "complex" in dtype else real), max_size=3))
        leaves.append(f"jnp.asarray([{', '.join(row)}], jnp.{dtype})")
    scope.bind("updates", f"{{'a': {leaves[0]}, 'b': [None, ({leaves[1]}, {leaves[2]})]}}")
    return scope.recipe()
