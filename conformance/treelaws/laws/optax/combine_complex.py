"""Optax: transformations of real numbers wrapped for complex ones."""

from __future__ import annotations

import jax.numpy as jnp
import jax.tree_util as jtu

from hypothesis_pytrees.optax.chains import chains
from hypothesis_pytrees.optax.params import PARAMETERS
from treelaws.equality import same

from ._inputs import COMPLEX, DOCS, close, types
from .combine import law

_CONTRIB = f"{DOCS}contrib.html#optax.contrib.split_real_and_imaginary"
_NUMBERS = (*COMPLEX, *COMPLEX, *PARAMETERS)


@law(
    "`split_real_and_imaginary(inner)` updates complex arrays as `inner` updates their real and "
    "imaginary parts, and real arrays as `inner` does",
    # Real arrays are "passed through unmodified", which the code does on their way to `inner`.
    source=_CONTRIB,
    level="should",
    needs={"contrib.split_real_and_imaginary", "chain"},
    case=chains(leaves=_NUMBERS, models=False),
)
def parts_of_complex_numbers_are_updated(lib, case):
    inner = lib.chain(*case.links)
    tx = lib.contrib.split_real_and_imaginary(inner)
    params, grads, state = _parts(case.params), _parts(case.grads), tx.init(case.params)
    split = inner.init(params)
    for _ in range(2):
        got, state = tx.update(case.grads, state, case.params)
        wanted, split = inner.update(grads, split, params)
        same(types(got), types(case.grads))
        close(_parts(got), wanted)


def _parts(tree):
    split = lambda leaf: [leaf.real, leaf.imag] if jnp.iscomplexobj(leaf) else leaf
    return jtu.tree_map(split, tree)
