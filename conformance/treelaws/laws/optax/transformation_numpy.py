"""Optax: NumPy arrays as parameters, gradients and states of a transformation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np

from hypothesis_pytrees import CONTAINERS
from treelaws.core.law import Topic

from ._inputs import CODE, SINGLES, close, steps
from .transformation_update import updates_have_the_shapes_of_the_parameters

law = Topic(
    "optax.transformation.numpy", "Optax: a transformation of NumPy arrays", family="transformation"
)
_FLOAT32 = tuple(kind for kind in SINGLES if "leaf:float32" in kind.features)


@law(
    "`update` gives the same for NumPy arrays as parameters, gradients and state as for the arrays "
    "of JAX",
    # The three types are nests of `jax.typing.ArrayLike`; a comment speaks of `jnp.ndarrays`.
    source=f"{CODE}_src/base.py#L32-L37",
    level="should",
    needs={"updates_without_a_loop"},
    # Arrays of one type, so that operations are compiled once.
    case=steps(options=(), leaves=_FLOAT32, kinds=CONTAINERS, models=False, some=True),
    parents=(updates_have_the_shapes_of_the_parameters,),
)
def numpy_arrays_are_updated_alike(lib, case):
    def updated(put: Callable[[Any], Any]) -> Any:
        grads, params = put(case.grads), put(case.params)
        return case.tx.update(grads, put(case.tx.init(params)), params, **case.extra)

    close(_numbers(updated(_numpy)), _numbers(updated(jax.device_put)))


def _numpy(tree: Any) -> Any:
    """Return the tree with a NumPy array for each array but random keys."""
    return jtu.tree_map(lambda leaf: leaf if _is_key(leaf) else np.asarray(leaf), tree)


def _numbers(tree: Any) -> Any:
    """Return the tree with JAX arrays, none weakly typed, and the numbers of random keys."""

    def put(leaf: Any) -> Any:
        return jnp.asarray(np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf))

    return jtu.tree_map(put, tree)


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(leaf), jax.dtypes.prng_key)
