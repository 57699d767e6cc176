"""Flax: batches, random keys and metrics of all devices of a process."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.tree_util as jtu
import numpy as np
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe, Scope
from hypothesis_pytrees.flax.batches import forests
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree
from treelaws.equality import equal, same, true

from .jax_utils import law

_CODE = "https://github.com/google/flax/blob/v0.12.8/flax/training/common_utils.py"
_UTILS = "training.common_utils"
# What follows the axis of the batch, and the name of the shape.
_SHAPES = {"rows": "", "columns": ", 2", "tables": ", 2, 1", "no-column": ", 0"}
_KEYS = (
    "jax.random.key(0)",
    "jax.random.PRNGKey(1)",
    "jax.random.key(2, impl='rbg')",
)


@st.composite
def _batches(draw: st.DrawFn) -> Recipe:
    """Draw `tree`, of arrays with `rows` for each device of the process."""
    scope = Scope()
    scope.bind("rows", repr(draw(st.integers(0, 3))))
    scope.bind("count", "rows * jax.local_device_count()")

    def leaf(shape: str, dtype: str) -> Recipe:
        size = f"(count{_SHAPES[shape]},)"
        numbers = f"np.arange(np.prod({size})).reshape({size})"
        return Recipe(
            (), (), f"{numbers}.astype(jnp.{dtype})", features=frozenset({f"shape:{shape}"})
        )

    drawn = st.builds(leaf, st.sampled_from(tuple(_SHAPES)), st.sampled_from(("float32", "int8")))
    keys = st.just(Recipe((), (), "jax.random.split(jax.random.key(0), count)"))
    leaves = st.one_of(drawn, drawn, keys)
    text = draw_tree(draw, scope, leaves=leaves, kinds=CONTAINERS, max_leaves=3, alias=False)
    scope.bind("tree", text)
    return scope.recipe()


@st.composite
def _keys(draw: st.DrawFn) -> Recipe:
    """Draw `key`, with a type of its own or as numbers."""
    scope = Scope()
    scope.bind("key", draw(st.sampled_from(_KEYS)))
    return scope.recipe()


@st.composite
def _metrics(draw: st.DrawFn) -> Recipe:
    """Draw `metrics`, trees of one structure with an array at least, one for each step."""
    scope = Scope()
    scope.include(draw(forests(least=1)))
    scope.bind("metrics", "[{'loss': np.float32(0.5), 'others': one} for one in forest]")
    empty = any(np.size(leaf) == 0 for leaf in jtu.tree_leaves(scope.value("metrics")))
    scope.note("metrics:empty" if empty else "metrics:filled")
    return scope.recipe()


@law(
    "`shard` gives each device of the process the next rows of each array",
    source=f"{_CODE}#L26-L38",
    needs={"eight_devices", f"{_UTILS}.shard"},
    case=_batches(),
)
def shards_are_the_rows_in_order(lib, case):
    got = lib.training.common_utils.shard(case.tree)
    for place in range(jax.local_device_count()):
        start, end = place * case.rows, (place + 1) * case.rows
        wanted = jtu.tree_map(lambda leaf, own=slice(start, end): leaf[own], case.tree)
        same(jtu.tree_map(lambda leaf, place=place: leaf[place], got), wanted)


@law(
    "`shard_prng_key` gives a key of the same kind for each device of the process, all different",
    source=f"{_CODE}#L41-L54",
    needs={"eight_devices", f"{_UTILS}.shard_prng_key"},
    case=_keys(),
)
def devices_have_their_own_keys(lib, case):
    got, count = lib.training.common_utils.shard_prng_key(case.key), jax.local_device_count()
    equal((got.shape, got.dtype), ((count, *case.key.shape), case.key.dtype))
    equal(len({str(jax.random.uniform(key, (4,))) for key in got}), count)


@law(
    "`get_metrics` gives one tree, whose leaves are the metrics of all steps, once each",
    source=f"{_CODE}#L71-L87",
    needs={"eight_devices", f"{_UTILS}.get_metrics"},
    case=_metrics(),
)
def metrics_are_stacked_over_time(lib, case):
    """In newer releases the stacked leaves are arrays of JAX."""
    got = lib.training.common_utils.get_metrics([_replicated(tree) for tree in case.metrics])
    wanted = jtu.tree_map(lambda *leaves: jnp.stack(leaves), *case.metrics)
    same(jtu.tree_map(jnp.asarray, got), wanted)


@law(
    "`get_metrics` returns NumPy arrays, which are on the host",
    source=f"{_CODE}#L71-L87",
    level="should",
    needs={"eight_devices", f"{_UTILS}.get_metrics"},
    case=_metrics(),
    parents=[metrics_are_stacked_over_time],
)
def metrics_are_on_the_host(lib, case):
    got = lib.training.common_utils.get_metrics([_replicated(tree) for tree in case.metrics])
    for leaf in jtu.tree_leaves(got):
        true(isinstance(leaf, np.ndarray), type(leaf).__name__, "a NumPy array")


def _replicated(tree):
    """Return a tree of which each device of the process holds a copy, as `pmap` returns it."""
    copies = lambda leaf: jnp.stack([jnp.asarray(leaf)] * jax.local_device_count())
    return jtu.tree_map(lambda leaf: jax.pmap(lambda copy: copy)(copies(leaf)), tree)
