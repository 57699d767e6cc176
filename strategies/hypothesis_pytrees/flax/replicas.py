"""Losses of replicas, each with a row of its own, and ways to run a step for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available, usable
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.trees.containers import CONTAINERS
from hypothesis_pytrees.trees.trees import draw_tree

from .frozen import FROZEN_DICTS
from .structs import FLAX_STRUCTS

_SHARDED = """\
def flax_on_shards(step, params, rows, in_axis, checked):
    # Runs a step for each row on a device of its own.
    mesh = jax.sharding.Mesh(np.array(jax.devices()[: len(rows)]), ('replicas',))
    each, everywhere = (jax.sharding.PartitionSpec(*names) for names in (['replicas'], []))

    def called(params, row):
        own = params if in_axis is None else jtu.tree_map(lambda leaf: leaf[0], params)
        return jtu.tree_map(lambda leaf: leaf[None], step(own, row[0]))

    specs = {'in_specs': (everywhere if in_axis is None else each, each), 'out_specs': each}
    return jax.jit(jax.shard_map(called, mesh=mesh, check_vma=checked, **specs))(params, rows)
"""


def _way(name: str, text: str, *definitions: str) -> Kind:
    return Kind("way", text, definitions, (f"way:{name}",))


_MAPPED = "(step, in_axes=(in_axis, 0), axis_name='replicas'{})(params, rows)"
_SHARDS = "flax_on_shards(step, params, rows, in_axis, {})"
_WAYS = (
    _way("shard-map", _SHARDS.format(True), _SHARDED),
    _way("vmap", f"jax.vmap{_MAPPED.format('')}"),
    _way("pmap", f"jax.pmap{_MAPPED.format(', devices=jax.devices()[:len(rows)]')}"),
    _way("unchecked-shard-map", _SHARDS.format(False), _SHARDED),
)
# Without own leaves, as no leaf but a float has a gradient.
_NODES = tuple(kind for kind in FLAX_STRUCTS if "struct:default" not in kind.features)
# Numbers whose products, sums and means over 1, 2, 4 or 8 are exact.
_NUMBERS: Sequence[str] = ("1.0", "2.0", "-0.5", "0.0")
_SCALES = ("", "scale=4.0", "scale=jnp.float32(0.5)")


@st.composite
def replicated_losses(draw: st.DrawFn) -> Recipe:
    """Draw `loss`, which takes `params` and a row, a number; and `rows`, one for each replica.

    `run(step)` calls `step(params, row)` for each of them and stacks the results; the name of
    their axis is `"replicas"`. `given` is `params`, or one for each replica. Features are `way:`,
    and `params:` with `shared` or `own`. `options` are those of a DynamicScale.
    """
    scope = Scope()
    leaf = st.builds("jax.device_put(np.float32([{}, 1.0]))".format, st.sampled_from(_NUMBERS))
    scalar = st.builds("jax.device_put(np.float32({}))".format, st.sampled_from(_NUMBERS))
    text = draw_tree(
        draw,
        scope,
        leaves=st.one_of(leaf, scalar).map(lambda one: Recipe((), (), one)),
        kinds=(*CONTAINERS, *usable((*_NODES, *FROZEN_DICTS))),
        max_leaves=2,
        alias=False,
    )
    scope.bind("params", f"[jax.device_put(np.float32(2.0)), {text}]")
    count = draw(st.sampled_from((2, 4, 8, 1)))
    scope.note(f"replicas:{'one' if count == 1 else 'several'}")
    rows: list[str] = draw(st.lists(st.sampled_from(_NUMBERS), min_size=count, max_size=count))
    if draw(st.integers(0, 3)) == 3:
        rows[draw(st.integers(0, count - 1))] = "np.inf"
    scope.bind("rows", f"jax.device_put(np.float32([{', '.join(rows)}]))")
    scope.bind(
        "loss", "lambda params, row: sum(jnp.sum(leaf * row) for leaf in jtu.tree_leaves(params))"
    )
    way = draw(st.sampled_from(available(_WAYS)))
    scope.define(*way.definitions)
    scope.note(*way.features)
    own = draw(st.booleans())
    scope.note(f"params:{'own' if own else 'shared'}")
    scope.bind("in_axis", "0" if own else "None")
    stacked = "jtu.tree_map(lambda leaf: jnp.stack([leaf] * len(rows)), params)"
    scope.bind("given", stacked if own else "params")
    scope.bind("run", f"lambda step: {way.template.replace('params', 'given')}")
    scope.bind("options", f"dict({draw(st.sampled_from(_SCALES))})")
    return scope.recipe()
