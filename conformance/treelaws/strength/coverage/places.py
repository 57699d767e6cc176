"""Where the public names are that take trees, by library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# All public functions and classes of a module, and of each class its public methods.
MODULES: Mapping[str, Sequence[str]] = {
    "jax": ("jax.tree", "jax.tree_util"),
    "equinox": ("equinox", "equinox.nn", "equinox.debug"),
    "flax": (
        *("flax.nnx", "flax.nnx.bridge", "flax.struct", "flax.core", "flax.cursor"),
        *("flax.serialization", "flax.traverse_util", "flax.jax_utils"),
        *("flax.training.common_utils", "flax.training.dynamic_scale"),
        *("flax.training.early_stopping", "flax.training.train_state"),
    ),
    "optax": (
        *("optax", "optax.tree", "optax.tree_utils", "optax.contrib"),
        *("optax.microbatching", "optax.perturbations", "optax.projections"),
        *("optax.second_order", "optax.experimental.aggregating"),
    ),
}
# JAX is not about trees alone: these take or return trees. A release may lack some.
OF_JAX: Sequence[str] = (
    *("jax.jit", "jax.eval_shape", "jax.make_jaxpr", "jax.export.export", "jax.closure_convert"),
    *("jax.grad", "jax.value_and_grad", "jax.jacfwd", "jax.jacrev", "jax.hessian"),
    *("jax.jvp", "jax.vjp", "jax.linearize", "jax.linear_transpose", "jax.fwd_and_bwd"),
    *("jax.custom_jvp", "jax.custom_vjp", "jax.custom_gradient", "jax.custom_batching.custom_vmap"),
    *("jax.vmap", "jax.pmap", "jax.shard_map", "jax.checkpoint"),
    *("jax.device_put", "jax.device_get", "jax.block_until_ready", "jax.copy_to_host_async"),
    *("jax.pure_callback", "jax.debug.callback", "jax.experimental.io_callback"),
    *("jax.lax.scan", "jax.lax.map", "jax.lax.associative_scan", "jax.lax.fori_loop"),
    *("jax.lax.while_loop", "jax.lax.cond", "jax.lax.switch", "jax.lax.custom_root"),
    *("jax.lax.custom_linear_solve", "jax.lax.stop_gradient", "jax.lax.optimization_barrier"),
    *("jax.flatten_util.ravel_pytree", "jax.numpy.asarray", "jax.numpy.array"),
    *("jax.experimental.checkify.checkify", "jax.ref.new_ref", "jax.typeof"),
    *("jax.lax.psum", "jax.lax.pmean", "jax.lax.pmax", "jax.lax.pmin", "jax.lax.psum_scatter"),
    *("jax.lax.all_gather", "jax.lax.all_to_all", "jax.lax.ppermute", "jax.lax.pshuffle"),
    *("jax.lax.pbroadcast", "jax.lax.pvary", "jax.lax.pcast", "jax.smap"),
    *("jax.lax.with_sharding_constraint", "jax.reshard", "jax.sharding.reshard"),
    *("jax.make_array_from_process_local_data", "jax.custom_batching.sequential_vmap"),
    *("jax.lax.platform_dependent", "jax.lax.composite", "jax.named_call"),
    *("jax.custom_derivatives.linear_call", "jax.ad_checkpoint.checkpoint_name"),
    *("jax.lax.reduce", "jax.lax.reduce_window", "jax.lax.sort", "jax.debug.print"),
    *("jax.experimental.checkify.check", "jax.experimental.jet.jet"),
    *("jax.experimental.multihost_utils.process_allgather",),
    *("jax.experimental.multihost_utils.broadcast_one_to_all",),
    *("jax.experimental.multihost_utils.assert_equal", "jax.experimental.ode.odeint"),
    *("jax.experimental.multihost_utils.host_local_array_to_global_array",),
    *("jax.experimental.multihost_utils.global_array_to_host_local_array",),
    *("jax.scipy.sparse.linalg.cg", "jax.scipy.sparse.linalg.bicgstab"),
    *("jax.scipy.sparse.linalg.gmres", "jax.experimental.sparse.sparsify"),
    *("jax.experimental.sparse.grad", "jax.experimental.sparse.value_and_grad"),
    *("jax.experimental.sparse.jacfwd", "jax.experimental.sparse.jacrev"),
)
