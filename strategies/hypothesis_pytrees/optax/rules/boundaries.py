"""Transformations with an option at the bound of its range, and what they then are."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

_INNER = "optax.sgd(0.5, momentum=0.5)"
_ADVERSARY = "optax.sgd(0.25)"
_ADAM = "b1=0.5, b2=0.25, eps=0.5"
_TRUST = "optax.scale_by_trust_ratio("
_GRADS_AT = "{'grad_fn': lambda params, step: one}"
_VALUE = "{'value': jnp.float32(3.0)}"
# The name of a row, the transformation and what it is: by the documentation of an option, or by a
# formula in which it is 0 or 1. Then extra arguments of `update` for the gradients `one`.
_ROWS: Sequence[tuple[str, str, str, str]] = (
    ("sam-period", f"optax.contrib.sam({_INNER}, {_ADVERSARY}, sync_period=1)", _INNER, "{}"),
    (
        "sam-opaque-period",
        f"optax.contrib.sam({_INNER}, {_ADVERSARY}, sync_period=1, opaque_mode=True)",
        _INNER,
        _GRADS_AT,
    ),
    ("MultiSteps", f"optax.MultiSteps({_INNER}, 1)", _INNER, "{}"),
    ("MultiSteps-schedule", f"optax.MultiSteps({_INNER}, lambda step: 1)", _INNER, "{}"),
    ("apply_every", "optax.apply_every(1)", "optax.identity()", "{}"),
    ("apply_if_finite", f"optax.apply_if_finite({_INNER}, 0)", _INNER, "{}"),
    ("always", f"optax.conditionally_transform({_INNER}, lambda step: step >= 0)", _INNER, "{}"),
    ("ema", "optax.ema(0.0)", "optax.identity()", "{}"),
    ("trace", "optax.trace(0.0)", "optax.identity()", "{}"),
    ("sgd-momentum", "optax.sgd(0.5, momentum=0.0)", "optax.sgd(0.5)", "{}"),
    ("signum-beta", "optax.signum(0.5, beta=0.0)", "optax.sign_sgd(0.5)", "{}"),
    ("ogd", "optax.optimistic_gradient_descent(0.5, 1.0, 0.0)", "optax.sgd(0.5)", "{}"),
    ("ogd-alpha", "optax.optimistic_gradient_descent(0.5, 0.0, 0.0)", "optax.set_to_zero()", "{}"),
    ("noisy_sgd", "optax.noisy_sgd(0.5, 0.0, 0.55, 0)", "optax.sgd(0.5)", "{}"),
    ("add_noise", "optax.add_noise(0.0, 0.55, 0)", "optax.identity()", "{}"),
    (
        "adamw-decay",
        f"optax.adamw(0.5, {_ADAM}, weight_decay=0.0)",
        f"optax.adam(0.5, {_ADAM})",
        "{}",
    ),
    (
        "nadamw-decay",
        f"optax.nadamw(0.5, {_ADAM}, weight_decay=0.0)",
        f"optax.nadam(0.5, {_ADAM})",
        "{}",
    ),
    (
        "adamaxw-decay",
        f"optax.adamaxw(0.5, {_ADAM}, weight_decay=0.0)",
        f"optax.adamax(0.5, {_ADAM})",
        "{}",
    ),
    (
        "lion-decay",
        "optax.lion(0.5, b1=0.5, b2=0.5, weight_decay=0.0)",
        "optax.chain(optax.scale_by_lion(b1=0.5, b2=0.5), optax.scale(-0.5))",
        "{}",
    ),
    (
        "ademamix-alpha",
        f"optax.contrib.ademamix(0.5, {_ADAM}, alpha=0.0)",
        f"optax.adam(0.5, {_ADAM})",
        "{}",
    ),
    (
        "lars",
        "optax.lars(0.5, weight_decay=0.0, trust_ratio_mask=False, momentum=0.0)",
        "optax.sgd(0.5)",
        "{}",
    ),
    ("add_decayed_weights", "optax.add_decayed_weights(0.0)", "optax.identity()", "{}"),
    ("clip", "optax.clip(jnp.inf)", "optax.identity()", "{}"),
    ("clip_by_block_rms", "optax.clip_by_block_rms(jnp.inf)", "optax.identity()", "{}"),
    ("clip_by_global_norm", "optax.clip_by_global_norm(jnp.inf)", "optax.identity()", "{}"),
    ("freeze-none", "optax.freeze(False)", "optax.identity()", "{}"),
    ("freeze-all", "optax.freeze(True)", "optax.set_to_zero()", "{}"),
    (
        "selective-none",
        f"optax.selective_transform({_INNER}, freeze_mask=False)",
        _INNER,
        "{}",
    ),
    (
        "selective-all",
        f"optax.selective_transform({_INNER}, freeze_mask=True)",
        "optax.set_to_zero()",
        "{}",
    ),
    ("masked-none", f"optax.masked({_INNER}, False)", "optax.identity()", "{}"),
    ("polyak-most", "optax.polyak_sgd(max_learning_rate=0.0)", "optax.set_to_zero()", _VALUE),
    ("polyak-variant", "optax.polyak_sgd(variant='sps+')", "optax.polyak_sgd()", _VALUE),
    (
        "real",
        f"optax.contrib.split_real_and_imaginary({_INNER})",
        _INNER,
        "{}",
    ),
)
_SINCE = {
    "polyak-variant": Since(
        "`variant` of `polyak_sgd`",
        "optax>=0.2.5",
        "https://github.com/google-deepmind/optax/blob/v0.2.5/optax/_src/alias.py",
    )
}
# A number that is documented as a factor of the update, and extra arguments of `update`.
_FACTORS: Sequence[tuple[str, str]] = (
    ("optax.polyak_sgd(scaling=$, max_learning_rate=100.0)", _VALUE),
    ("optax.polyak_sgd(scaling=$)", _VALUE),
    (f"{_TRUST}trust_coefficient=$)", "{}"),
    ("optax.lars(0.5, trust_coefficient=$)", "{}"),
    ("optax.normalize_by_update_norm(scale_factor=$)", "{}"),
    ("optax.scale_by_distance_over_gradients(global_scale=$)", "{}"),
    ("optax.scale(step_size=$)", "{}"),
    ("optax.scale_by_learning_rate($)", "{}"),
    ("optax.contrib.acprop($)", "{}"),
    ("optax.contrib.ademamix($)", "{}"),
    ("optax.contrib.adopt($)", "{}"),
    ("optax.contrib.dog($)", "{}"),
    ("optax.contrib.dowg($)", "{}"),
    ("optax.contrib.galore($, rank=1)", "{}"),
    ("optax.contrib.muon($)", "{}"),
    ("optax.contrib.simplified_ademamix($)", "{}"),
)
_NUMBERS = ("0.5", "-2.0", "1.0", "3.0", "-0.25", "8.0")
_SHAPE = "(2, 2)"


def _bind_steps(draw: st.DrawFn, scope: Scope, most: int) -> None:
    texts = []
    for _ in range(draw(st.integers(1, most)) + 1):
        row = draw(st.lists(st.sampled_from(_NUMBERS), min_size=2, max_size=4))
        texts.append(f"{{'w': jnp.asarray(np.resize(np.float32([{', '.join(row)}]), {_SHAPE}))}}")
    scope.bind("params", texts[0])
    scope.bind("grads", f"[{', '.join(texts[1:])}]")


@functools.cache
def _bounds() -> Sequence[tuple[str, str, str, str]]:
    """Return the rows whose functions the installed release has."""
    lacks = {name for name, since in _SINCE.items() if since.lacking()}
    return tuple(row for row in _ROWS if row[0] not in lacks and not names.lacking(row[1:3]))


@functools.cache
def _factors() -> Sequence[tuple[str, str]]:
    return tuple(row for row in _FACTORS if not names.lacking(row[:1]))


@st.composite
def bounds_of_options(draw: st.DrawFn) -> Recipe:
    """Draw `tx` and `plain`, which is the same transformation, and `params` and `grads`.

    `grads` is a list of the gradients of each step; `extra` gives the extra arguments for one.
    """
    scope = Scope()
    name, text, other, extra = draw(st.sampled_from(_bounds()))
    scope.note(f"bound:{name}")
    _bind_steps(draw, scope, 4)
    scope.bind("tx", text)
    scope.bind("plain", other)
    scope.bind("extra", f"lambda one: {extra}")
    return scope.recipe()


@st.composite
def documented_factors(draw: st.DrawFn) -> Recipe:
    """Draw `make`, a transformation of a factor, and `params`, `grads` and `extra` for it."""
    scope = Scope()
    text, extra = draw(st.sampled_from(_factors()))
    scope.note(f"factor:{text.removeprefix('optax.').partition('(')[0]}")
    _bind_steps(draw, scope, 3)
    scope.bind("make", f"lambda factor: {text.replace('$', 'factor')}")
    scope.bind("extra", extra)
    return scope.recipe()
