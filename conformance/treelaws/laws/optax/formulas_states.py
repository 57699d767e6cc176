"""Optax: what is put in place of NaN, noise, and the states of accumulators."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees.optax.rules.conditions import errors
from hypothesis_pytrees.optax.rules.noise import noise
from treelaws.equality import equal, refuses, same, true

from ._formulas import arrays_of, near
from ._inputs import dtypes
from .formulas import _PAGE, law

_NEED_PARAMS = {
    "add_decayed_weights": (0.5,),
    "adaptive_grad_clip": (0.5,),
    "keep_params_nonnegative": (),
    "scale_by_param_block_norm": (),
    "scale_by_param_block_rms": (),
    "scale_by_trust_ratio": (),
}


@law(
    "`zero_nans` puts 0 in the place of each NaN, and its state says for each array whether it had "
    "one at the last update",
    source=f"{_PAGE}#optax.zero_nans",
    needs={"zero_nans"},
    case=errors(),
)
def nans_become_zeros(lib, case):
    tx = lib.zero_nans()
    state = tx.init(case.params)
    same(state.found_nan, jtu.tree_map(lambda _: jnp.array(False), case.params))
    for finite, grads in zip(case.finite, case.grads, strict=True):
        given = grads if finite else jtu.tree_map(lambda leaf: _spoilt(leaf, case.bad), grads)
        updates, state = tx.update(given, state)
        near(updates, [np.where(np.isnan(one), 0.0, one) for one in arrays_of(given)], grads)
        same(state.found_nan, jtu.tree_map(lambda leaf: jnp.isnan(leaf).any(), given))


@law(
    "`add_noise` adds normal noise, whose variance is `eta` over the number of the step to the "
    "power `gamma`, other noise at each step and for each array, and the same for the same key",
    source=f"{_PAGE}#optax.add_noise",
    level="should",
    needs={"add_noise"},
    case=noise(),
)
def noise_has_its_variance(lib, case):
    one, four = _noise(lib, case, case.eta), _noise(lib, case, 4 * case.eta)
    steps = [step for step in (1, 2, 3) for _ in jtu.tree_leaves(case.params)]
    for found, twice, step in zip(one, four, steps, strict=True):
        ratio = found / np.sqrt(case.eta / step**case.gamma)
        normal = abs(ratio.std() - 1) < 0.1 and abs(ratio.mean()) < 0.1
        true(bool(normal), ratio, "normal noise")
        true(bool(np.allclose(twice, 2 * found, 1e-3, 1e-3)), twice, "the same noise, twice")
    equal(len({tuple(found[:4]) for found in one}), len(one))


@law(
    "a transformation that needs the parameters raises ValueError if `update` does not get them",
    source="https://github.com/google-deepmind/optax/blob/v0.2.8/optax/_src/base.py#L24-L27",
    level="should",
    needs={*_NEED_PARAMS},
    case=errors(),
)
def missing_parameters_are_refused(lib, case):
    for name, options in _NEED_PARAMS.items():
        tx = getattr(lib, name)(*options)
        state = tx.init(case.params)
        refuses(ValueError, lambda tx=tx, state=state: tx.update(case.grads[0], state, None))


@law(
    "the trace of `trace` and the average of `ema` have the dtype `accumulator_dtype`, or without "
    "it that of the parameter and its gradient, before and after an update",
    source=f"{_PAGE}#optax.trace",
    needs={"trace", "ema"},
    case=errors(),
)
def accumulators_have_their_dtype(lib, case):
    for given in (None, "float32", jnp.bfloat16, np.dtype("float16")):
        for make, name in ((lib.trace, "trace"), (lib.ema, "ema")):
            tx = make(0.5, accumulator_dtype=given)
            state = tx.init(case.params)
            _, after = tx.update(case.grads[0], state)
            wanted = jtu.tree_map(
                lambda leaf, given=given: str(np.dtype(given or leaf.dtype)), case.params
            )
            same([dtypes(getattr(one, name)) for one in (state, after)], [wanted, wanted])


@law(
    "`scale_by_distance_over_gradients` stores the initial parameters in `param_dtype`, float32 by "
    "default, before and after an update",
    # "param_dtype: dtype for storing initial parameters."
    source=f"{_PAGE}#optax.scale_by_distance_over_gradients",
    needs={"scale_by_distance_over_gradients"},
    case=errors(),
)
def initial_parameters_are_stored_in_their_dtype(lib, case):
    for given in (None, "float16", jnp.bfloat16, np.dtype("float32")):
        options = {} if given is None else {"param_dtype": given}
        tx = lib.scale_by_distance_over_gradients(**options)
        state = tx.init(case.params)
        _, after = tx.update(case.grads[0], state, case.params)
        wanted = jtu.tree_map(lambda leaf, to=given: leaf.astype(to or "float32"), case.params)
        same([state.init_params, after.init_params], [wanted, wanted])


def _spoilt(leaf, bad):
    """Return an array whose first number is a bad one."""
    return jnp.ravel(leaf).at[0].set(bad).reshape(leaf.shape)


def _noise(lib, case, eta):
    """Return what is added to each array at the first three steps."""
    tx = lib.add_noise(eta, case.gamma, case.key)
    state, found = tx.init(case.params), []
    for _ in range(3):
        updates, state = tx.update(case.grads, state)
        found += [np.float64(leaf) - leaf.shape[0] for leaf in jtu.tree_leaves(updates)]
    return found
