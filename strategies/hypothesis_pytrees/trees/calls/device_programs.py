"""Programs over several devices as text, for a process of their own, which a bug may end."""

from __future__ import annotations

from hypothesis import strategies as st

from hypothesis_pytrees.core.availability import available
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.ways import way

_SHAPES = ("(4,)", "(4, 3)", "(4, 0)", "(0,)", "(0, 3)", "(0, 0)")
_DTYPES = ("np.float32", "np.int32", "jnp.bfloat16")
_FORMS = ("[{}]", "({},)", "dict(enumerate([{}]))", "[[{}]]")
_ON_DEVICES = "jax.sharding.NamedSharding(mesh, spec)"
_MAPPED = "jax.shard_map(negated, mesh=mesh, in_specs=(spec,), out_specs=spec)"
# Each gives the negative of `tree`.
_WAYS = (
    way("jit", f"jax.jit(negated)(jax.device_put(tree, {_ON_DEVICES}))"),
    way("out-shardings", f"jax.jit(negated, out_shardings={_ON_DEVICES})(tree)"),
    way("shard-map", f"{_MAPPED}(tree)"),
    way("jit-shard-map", f"jax.jit({_MAPPED})(tree)"),
    way("linear-shard-map", f"jax.linearize(jax.jit({_MAPPED}), tree)[0]"),
)
_TEXT = """\
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_PLATFORMS"] = "cpu"

import json

import jax
import jax.numpy as jnp
import numpy as np

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
spec = jax.sharding.PartitionSpec("x")
negated = lambda tree: jax.tree.map(lambda leaf: -leaf, tree)
tree = $tree
read = lambda leaf: [str(leaf.dtype), [*leaf.shape], np.asarray(leaf, np.float32).tolist()]
print(json.dumps([read(leaf) for leaf in jax.tree.leaves($way)]))
"""


@st.composite
def device_programs(draw: st.DrawFn) -> Recipe:
    """Bind `tree` and `text`, which prints the negative of the tree, computed on two devices.

    Features: how many `leaves`, which of them are `filled` with entries, and `empty:rows` if one
    has rows for the devices without entries in them.

    The text prints a list with the dtype, the shape and the numbers of each leaf, as JSON.
    """
    scope = Scope()
    drawn = draw(st.sampled_from(available(_WAYS)))
    scope.note(*drawn.features)
    shapes = draw(st.lists(st.sampled_from(_SHAPES), min_size=1, max_size=3))
    empty = sum("0" in shape for shape in shapes)
    filled = "none" if empty == len(shapes) else "some" if empty else "all"
    scope.note(f"leaves:{len(shapes)}", f"filled:{filled}")
    scope.note(*(["empty:rows"] if "(4, 0)" in shapes else []))
    texts = [f"jnp.ones({shape}, {draw(st.sampled_from(_DTYPES))})" for shape in shapes]
    tree = draw(st.sampled_from(_FORMS)).format(", ".join(texts))
    scope.bind("tree", tree)
    scope.bind("text", repr(_TEXT.replace("$tree", tree).replace("$way", drawn.template)))
    return scope.recipe()
