"""Training states: parameters in any node, optimisers, losses to scale and metrics to watch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.availability import usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.leaves.leaves import pool
from hypothesis_pytrees.optax.params import (
    GRADIENTS,
    PARAMETERS,
    draw_parameters,
    holding_parameters,
)
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .frozen import FROZEN_DICTS
from .states import PLAIN_CONTAINERS
from .structs import FLAX_STRUCTS

# The collection whose gradients replace its values, as Linen calls it.
_OVERWRITTEN = "'_overwrite_with_gradient'"
_MASK = "lambda tree: jtu.tree_map(lambda leaf: leaf.ndim == 1, tree)"
_TRANSFORMATIONS = (
    ("sgd", "optax.sgd(0.5)"),
    ("momentum", "optax.sgd(0.5, momentum=0.5)"),
    ("adam", "optax.adam(0.1)"),
    ("adamw", "optax.adamw(0.1)"),
    ("chain", "optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1))"),
    ("schedule", "optax.sgd(optax.linear_schedule(0.5, 0.1, 3))"),
    ("hyperparameters", "optax.inject_hyperparams(optax.sgd)(learning_rate=0.5)"),
    ("masked", f"optax.masked(optax.sgd(0.5, momentum=0.5), {_MASK})"),
    ("MultiSteps", "optax.MultiSteps(optax.sgd(0.5), 2).gradient_transformation()"),
    ("identity", "optax.identity()"),
    ("zero", "optax.set_to_zero()"),
)
# Fields that hold Python numbers or text of their own, which an optimiser does not take.
_OWN_LEAVES = frozenset(
    f"struct:{name}"
    for name in (
        *("default-text", "default-factory", "metadata", "array-annotation"),
        *("default-overridden", "redeclared-dynamic"),
    )
)
_STRUCTS = tuple(
    kind for kind in holding_parameters(FLAX_STRUCTS) if not _OWN_LEAVES & {*kind.features}
)
_SAVED = tuple(kind for kind in PLAIN_CONTAINERS if "dict:tuple-keys" not in kind.features)


@st.composite
def train_states(draw: st.DrawFn, *, saved: bool = False) -> Recipe:
    """Draw `params` of real arrays, `grads` of their types, `tx` and `apply_updates` of Optax.

    Args:
        saved: draw only nodes that have a state dict; default `False`.
    """
    scope = Scope()
    _draw_params(draw, scope, saved)
    # NumPy makes float32 of a bfloat16 array and a Python number.
    numpy = "jtu.tree_map(lambda leaf: (leaf * 0.5).astype(leaf.dtype), params)"
    scope.bind("grads", numpy if "params:numpy" in scope.features else GRADIENTS)
    name, text = draw(st.sampled_from(_TRANSFORMATIONS))
    scope.note(f"tx:{name}")
    scope.bind("tx", text)
    scope.bind("apply_updates", "optax.apply_updates")
    return scope.recipe()


def _draw_params(draw: st.DrawFn, scope: Scope, saved: bool) -> None:
    kinds = _SAVED if saved else CONTAINERS
    source = draw(st.sampled_from(("plain", "struct", "frozen", *(("any",) * (not saved)))))
    roots: dict[str, Sequence[Kind]] = {"struct": _STRUCTS, "frozen": FROZEN_DICTS}
    if source == "any":
        draw_parameters(draw, scope)
    else:
        text = draw_tree(
            draw,
            scope,
            leaves=pool(PARAMETERS),
            roots=roots.get(source),
            kinds=(*kinds, *usable((*_STRUCTS, *FROZEN_DICTS))),
            max_leaves=3,
            alias=False,
        )
        # A bare array is another one to a transformation: a tracer.
        bare = isinstance(scope.value(text), jax.Array)
        if source == "plain" and not bare and draw(st.integers(0, 3)) == 3:
            text = f"jtu.tree_map(np.asarray, {text})"
            scope.note("params:numpy")
        # `update(..., params=None)` means that there are none.
        scope.bind("params", "[None]" if text == "None" else text)
    scope.note(*_described(scope.value("params")))


def _described(params: Any) -> list[str]:
    if isinstance(params, jax.Array):
        return ["params:array", *(["params:array-scalar"] if params.ndim == 0 else [])]
    try:
        _ = "key" in params
    except RuntimeError:
        # Nobody can ask a node that refuses every comparison.
        reject()
    except Exception as error:
        # A list asks its items whether they equal the key.
        return [f"params:in-raises-{type(error).__name__}"]
    return [f"params:{type(params).__name__}"]


@st.composite
def overwritten_states(draw: st.DrawFn) -> Recipe:
    """Draw `params` and `grads` with a collection that the gradients overwrite.

    Also `tx` and `apply_updates` of Optax.
    """
    scope = Scope()
    inner = (*CONTAINERS, *usable((*_STRUCTS, *FROZEN_DICTS)))
    held = draw_tree(draw, scope, leaves=pool(PARAMETERS), kinds=inner, max_leaves=2, alias=False)
    held = "{}" if held == "None" else held
    entries = f"'params': {held}, {_OVERWRITTEN}: {{'scale': jnp.ones(2)}}"
    if draw(st.booleans()):
        scope.note("collections:three")
        entries += ", 'batch_stats': {'mean': jnp.zeros(2)}"
    frozen = draw(st.booleans())
    scope.note(f"root:{'FrozenDict' if frozen else 'dict'}")
    scope.bind("params", f"flax.core.freeze({{{entries}}})" if frozen else f"{{{entries}}}")
    scope.bind("grads", GRADIENTS)
    # These take any tree, so that what is inside does not matter.
    scope.bind("tx", draw(st.sampled_from(("optax.sgd(0.5)", "optax.adam(0.1)"))))
    scope.bind("apply_updates", "optax.apply_updates")
    return scope.recipe()


# Losses of two arguments, which are trees of the same structure: powers of 2 make no rounding.
_SUM = "sum(jnp.sum(leaf * other) for leaf, other in zip(jtu.tree_leaves(x), jtu.tree_leaves(y)))"
_ARGNUMS = ("0", "1", "-1", "(0,)", "(0, 1)", "[1, 0]")
_NUMBERS = ("1.0", "2.0", "-0.5", "0.0")


@st.composite
def scaled_losses(draw: st.DrawFn, *, halves: bool = True) -> Recipe:
    """Draw `loss`, its arguments `x` and `y`, `argnums` and `has_aux`, and `options` of a scale.

    Args:
        halves: the loss may be of half precision; default `True`.
    """
    scope = Scope()
    number = st.sampled_from(_NUMBERS)
    leaf = st.builds("jax.device_put(np.float32([{}, {}]))".format, number, number)
    scalar = st.builds("jax.device_put(np.float32({}))".format, number)
    kinds = (*CONTAINERS, *usable((*_STRUCTS, *FROZEN_DICTS)))
    text = draw_tree(
        draw,
        scope,
        leaves=st.one_of(leaf, scalar).map(lambda one: Recipe((), (), one)),
        kinds=kinds,
        max_leaves=3,
        alias=False,
    )
    scope.bind("x", text)
    scope.bind("y", "jtu.tree_map(lambda leaf: leaf * 2, x)")
    half = halves and draw(st.booleans())
    scope.note(f"loss:{'float16' if half else 'float32'}")
    dtype = "jnp.float16" if half else "jnp.float32"
    has_aux = draw(st.booleans())
    scope.bind("has_aux", repr(has_aux))
    value = f"({_SUM} + jnp.float32(1.0)).astype({dtype})"
    result = f"({value}, {{'aux': y}})" if has_aux else value
    scope.bind("loss", f"lambda x, y: {result}")
    scope.bind("argnums", draw(st.sampled_from(_ARGNUMS)))
    _draw_options(draw, scope)
    return scope.recipe()


def _draw_options(draw: st.DrawFn, scope: Scope) -> None:
    chosen = {
        "growth_interval": draw(st.sampled_from(("2000", "1", "2"))),
        "growth_factor": draw(st.sampled_from(("2.0", "4.0"))),
        "backoff_factor": draw(st.sampled_from(("0.5", "0.25"))),
        "minimum_scale": draw(st.sampled_from(("None", "1.0", "8.0"))),
    }
    sort = draw(st.sampled_from(("default", "python", "array")))
    scope.note(f"scale:{sort}")
    if sort != "default":
        # No document says what happens to a scale that starts below its minimum.
        number = draw(st.sampled_from(("16.0", "1.0")[: 1 + (chosen["minimum_scale"] != "8.0")]))
        chosen["scale"] = number if sort == "python" else f"jnp.float32({number})"
    scope.bind("options", f"dict({', '.join(f'{name}={text}' for name, text in chosen.items())})")


@st.composite
def scaled_runs(draw: st.DrawFn) -> Recipe:
    """Draw `options` of a DynamicScale and `finite`, for each step whether its gradient is."""
    scope = Scope()
    _draw_options(draw, scope)
    scope.bind("finite", repr(draw(st.lists(st.booleans(), max_size=6))))
    return scope.recipe()


@st.composite
def watched_metrics(draw: st.DrawFn) -> Recipe:
    """Draw `metrics`, the losses of some epochs, and `options` of an EarlyStopping."""
    scope = Scope()
    numbers = ["0", "1", "1.5", "2.0", "-1.0", "3", "float('inf')", "-float('inf')"]
    drawn = draw(st.lists(st.sampled_from(numbers), max_size=8))
    if drawn[:1] == ["float('inf')"] or "-float('inf')" in drawn:
        scope.note("metrics:infinite")
    form = draw(st.sampled_from(("{}", "np.float32({})", "jnp.float32({})")))
    scope.note(f"metrics:{form.partition('.')[0].strip('{}') or 'python'}")
    scope.bind("metrics", f"[{', '.join(map(form.format, drawn))}]")
    delta, patience = draw(st.sampled_from(("0.25", "0.75", "1.25"))), draw(st.integers(0, 3))
    scope.bind("options", f"dict(min_delta={delta}, patience={patience})")
    return scope.recipe()
