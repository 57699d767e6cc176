"""Random keys of every form, for each function of Optax that takes one."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

_TAKES_KEYS = Since(
    "a key for add_noise",
    "optax>=0.2.5",
    "https://github.com/google-deepmind/optax/pull/1138",
)
_KEY_FIRST = Since(
    "perturbed functions of a key and a tree",
    "optax>=0.2.5",
    "https://github.com/google-deepmind/optax/blob/v0.2.5/optax/perturbations/_make_pert.py",
)
_UPDATED = """\
def updated_by_key(tx, grads, **extra):
    params = jtu.tree_map(lambda leaf: leaf * 0.0, grads)
    state, found = tx.init(params), []
    for _ in range(2):
        updates, state = tx.update(grads, state, params, **extra)
        found.append(updates)
    return found
"""
_ROWS = "jtu.tree_map(lambda leaf: jnp.stack([leaf, leaf]), tree)"
_LOSS = "lambda tree: sum(jnp.sum(leaf**2.0) for leaf in jtu.tree_leaves(tree))"
# A call with `key`, of a function that also takes a seed, and of one that does not.
_OF_SEEDS: Sequence[str] = (
    "updated_by_key(optax.add_noise(0.5, 0.55, key), tree)",
    "updated_by_key(optax.noisy_sgd(0.5, key=key), tree)",
    "updated_by_key(optax.contrib.differentially_private_aggregate(1.0, 0.5, key), $)",
)
_PERTURBED = "optax.perturbations.make_perturbed_fun(lambda one: one, 4)(key, tree)"
_OF_KEYS: Sequence[str] = (
    f"updated_by_key(optax.contrib.hutchinson_estimator_diag_hessian(key), tree, obj_fn={_LOSS})",
    "optax.tree_utils.tree_random_like(key, tree)",
    "optax.tree_utils.tree_random_like(key, tree, jax.random.uniform)",
    "jtu.tree_map(jax.random.normal, optax.tree_utils.tree_split_key_like(key, tree))",
    _PERTURBED,
)
# Forms of a random key, and of a seed.
_KEYS: Mapping[str, str] = {
    "typed": "jax.random.key({})",
    "raw": "jax.random.PRNGKey({})",
    "raw-data": "jax.random.key_data(jax.random.key({}))",
    "split": "jax.random.wrap_key_data(jax.random.PRNGKey({}))",
}
_SEEDS: Mapping[str, str] = {"int": "{}", "numpy-int": "np.int32({})", "array": "jnp.int32({})"}
_TREES = ("{'a': jnp.ones(2), 'b': [jnp.ones(2), None]}", "jnp.ones(2)", "(jnp.ones(2), {})")


@functools.cache
def _calls() -> tuple[tuple[str, bool], ...]:
    """Return the calls that the installed release has, and whether they take seeds."""
    of_seeds = () if _TAKES_KEYS.lacking() else _OF_SEEDS
    of_keys = (text for text in _OF_KEYS if text != _PERTURBED or not _KEY_FIRST.lacking())
    rows = [*((text, True) for text in of_seeds), *((text, False) for text in of_keys)]
    return tuple(row for row in rows if not names.lacking([row[0]]))


@st.composite
def random_keys(draw: st.DrawFn) -> Recipe:
    """Draw `call`, a function of a random key, and `key` and `other`, two forms of one key."""
    scope = Scope()
    scope.define(_UPDATED)
    text, seeds = draw(st.sampled_from(_calls()))
    scope.note(f"function:{text.removeprefix('updated_by_key(').partition('(')[0]}")
    forms = {**_KEYS, **_SEEDS} if seeds else _KEYS
    form = draw(st.sampled_from(tuple(forms)))
    scope.note("key:seed" if form in _SEEDS else f"key:{form}", *["takes:seeds"] * seeds)
    scope.bind("tree", draw(st.sampled_from(_TREES)))
    scope.bind("call", f"lambda key: {text.replace('$', _ROWS)}")
    seed = draw(st.sampled_from(("0", "3", "12")))
    scope.bind("key", f"jax.random.key({seed})")
    scope.bind("other", forms[form].format(seed))
    return scope.recipe()
