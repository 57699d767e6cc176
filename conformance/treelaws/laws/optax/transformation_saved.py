"""Optax: states that are saved and loaded, or copied, go on as if they were not."""

from __future__ import annotations

import copy
import importlib
import io
import pickle
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.flax.states import PLAIN_CONTAINERS
from treelaws.core.law import Topic
from treelaws.equality import same

from ._inputs import CODE, SINGLES, close, steps
from .transformation_state import update_keeps_the_types_of_the_state

law = Topic("optax.transformation.saved", "Optax: states saved and copied", family="transformation")
_EQUINOX = "https://docs.kidger.site/equinox/api/serialisation/#equinox.tree_serialise_leaves"
_FLAX = (
    "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.serialization.html"
    "#flax.serialization.to_bytes"
)
# States are nests of `jax.typing.ArrayLike`, and Flax is documented to load NumPy arrays.
_NUMPY = f"{CODE}_src/base.py#L32-L37"
_FLOAT32 = tuple(kind for kind in SINGLES if "leaf:float32" in kind.features)
_COPY = "https://docs.python.org/3/library/copy.html#copy.deepcopy"


@law(
    "a state that `flax.serialization` saved and loaded equals the state, and the next update is "
    "that of the state",
    source=_FLAX,
    level="should",
    needs={"saved_by_flax"},
    case=steps(kinds=PLAIN_CONTAINERS, models=False),
    parents=(update_keeps_the_types_of_the_state,),
)
def a_state_saved_by_flax_goes_on(lib, case):
    """Flax loads NumPy arrays, which are put on the device again. Files keep no weak types."""
    flax, state = importlib.import_module("flax.serialization"), _after_a_step(case)
    loaded = flax.from_bytes(jtu.tree_map(jnp.zeros_like, state), flax.to_bytes(state))
    _goes_on(case, jax.device_put(loaded), state)


@law(
    "the next update is that of the state for the NumPy arrays that `flax.serialization` loads, "
    "which need not be put on the device",
    source=_NUMPY,
    level="should",
    needs={"saved_by_flax"},
    # NumPy makes a bfloat16 array times a Python number float32.
    case=steps(options=(), leaves=_FLOAT32, kinds=PLAIN_CONTAINERS, models=False),
    parents=(a_state_saved_by_flax_goes_on,),
)
def a_state_of_numpy_arrays_goes_on(lib, case):
    flax, state = importlib.import_module("flax.serialization"), _after_a_step(case)
    loaded = flax.from_bytes(jtu.tree_map(jnp.zeros_like, state), flax.to_bytes(state))
    _goes_on(case, loaded, state, alike=close)


@law(
    "a state that `tree_serialise_leaves` of Equinox saved and `tree_deserialise_leaves` loaded "
    "equals the state, and the next update is that of the state",
    source=_EQUINOX,
    level="should",
    needs={"saved_by_equinox"},
    case=steps(),
    parents=(update_keeps_the_types_of_the_state,),
)
def a_state_saved_by_equinox_goes_on(lib, case):
    eqx, file, state = importlib.import_module("equinox"), io.BytesIO(), _after_a_step(case)
    eqx.tree_serialise_leaves(file, state)
    file.seek(0)
    _goes_on(case, eqx.tree_deserialise_leaves(file, jtu.tree_map(jnp.empty_like, state)), state)


@law(
    "a deep copy of a state, and a pickled and loaded state, equal the state, and the next update "
    "is that of the state",
    source=_COPY,
    level="should",
    needs={"has_a_state_of_its_own_kind"},
    case=steps(kinds=PLAIN_CONTAINERS, models=False),
    parents=(update_keeps_the_types_of_the_state,),
)
def a_copied_state_goes_on(lib, case):
    state = _after_a_step(case)
    for copied in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        _goes_on(case, copied, state)


def _after_a_step(case: Any) -> Any:
    state = case.tx.init(case.params)
    return case.tx.update(case.grads, state, case.params, **case.extra)[1]


def _goes_on(
    case: Any, loaded: Any, state: Any, *, alike: Callable[[Any, Any], None] = same
) -> None:
    """Demand the state, and the updates and the state that follow it, apart from weak types."""
    same(_strong(loaded), _strong(state))
    once, again = (
        case.tx.update(case.grads, one, case.params, **case.extra) for one in (loaded, state)
    )
    alike(_strong(once), _strong(again))


def _strong(tree: Any) -> Any:
    """Return the leaves without weak types, and Python numbers as arrays."""

    def strong(leaf: Any) -> Any:
        array = jnp.asarray(leaf)
        if jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
            return array
        return jax.lax.convert_element_type(array, array.dtype)

    return jtu.tree_map(strong, tree)
