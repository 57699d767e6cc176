"""Claims of a release beyond its names: promises and abilities that laws need.

A claim holds in stated releases and is not tried: a bug of such a release is not a missing feature.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from packaging.requirements import Requirement

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.releases import ARRAY_ATTRIBUTES, GRAPH_OPTIONS, Since

from . import version

_NNX = "https://github.com/google/flax/blob/v{}/flax/nnx"
# By family: the claims that a public name or parameter shows; `names.json` has its releases.
_NAMED: Mapping[str, Mapping[str, str]] = {
    "jax": {
        "flatten_with_keys_func": "jax.tree_util.register_pytree_node(flatten_with_keys_func)",
        "is_leaf_takes_path": "jax.tree_util.tree_flatten_with_path(is_leaf_takes_path)",
        "keystr_simple": "jax.tree_util.keystr(simple)",
    },
    "equinox": {
        "callback_vmap_method": "equinox.filter_pure_callback(vmap_method)",
    },
    "optax": {
        "clips_along_axes": "optax.adaptive_grad_clip(axis)",
    },
    "nnx": {
        "clone_shares_on_demand": "flax.nnx.clone(variables)",
        "clone_copies_arrays": "flax.nnx.clone(arrays)",
        "fork_rngs_gives_a_copy": "flax.nnx.fork_rngs(graph_updates)",
        "merge_copies_on_demand": "flax.nnx.merge(copy)",
        "metrics_take_masks": "flax.nnx.metrics.Average.update(mask)",
        "path_filters_take_substrings": "flax.nnx.PathContains(exact)",
        "reseed_has_a_policy": "flax.nnx.reseed(policy)",
        "sow_may_do_nothing": "flax.nnx.Module.sow(capture_noop)",
        "split_rngs_gives_a_copy": "flax.nnx.split_rngs(graph_updates)",
        "tree_mode": "flax.nnx.iter_graph(graph)",
        "with_metadata_takes_hooks": "flax.nnx.with_metadata(on_get_value)",
        "variable_names_are_registered": "flax.nnx.variable_type_from_name(allow_register)",
    },
}
# That release of Orbax takes more releases of JAX than it works with.
_CHECKPOINTS = Since(
    "checkpoints of Orbax",
    "orbax-checkpoint!=0.11.24",
    "https://github.com/google/orbax/issues/2368",
)
# The other claims: new behaviour of old names.
_STATED: Mapping[str, Mapping[str, Since]] = {
    "jax": {
        "mismatch_place": Since(
            "the key path in an error of `tree_map`",
            "jax>=0.10.2",
            "https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/tree_util.py",
        ),
        "exports_are_serialised": Since(
            "`flatbuffers`, which `Exported.serialize` asks for",
            "flatbuffers",
            "https://docs.jax.dev/en/latest/export/export.html",
        ),
        # Up to 0.6.1 it has another name.
        "structure_from_node_data": Since(
            "PyTreeDef.from_node_data_and_children",
            "jax!=0.6.2,!=0.7.*",
            "https://github.com/jax-ml/jax/blob/jax-v0.8.0/jaxlib/pytree.cc",
        ),
    },
    "optax": {
        "associative_sums": Since(
            "`jax.tree.reduce_associative`, which `associative_reduction` asks for",
            "jax>=0.7.0",
            "https://github.com/jax-ml/jax/blob/jax-v0.7.0/jax/_src/tree.py",
        ),
        "schedules_of_arrays": Since(
            "numbers of schedules that are annotated as arrays",
            "optax>=0.2.7",
            "https://github.com/google-deepmind/optax/blob/v0.2.7/optax/schedules/_schedule.py",
        ),
        "searches_of_any_dtype": Since(
            "line searches that keep the dtypes of their state",
            "optax>=0.2.5",
            "https://github.com/google-deepmind/optax/blob/v0.2.5/optax/_src/linesearch.py",
        ),
        "explicit_trees": Since(
            "functions of trees that are written for explicit axes",
            "optax>=0.2.7",
            "https://github.com/google-deepmind/optax/blob/v0.2.7/optax/tree_utils/_tree_math.py",
        ),
        "explicit_shardings": Since(
            "meshes of explicit axes, for which microbatches ask for JAX 0.8.1",
            "jax>=0.8.1",
            "https://github.com/google-deepmind/optax/blob/v0.2.8/optax/microbatching/_microbatching.py",
        ),
    },
    "equinox": {
        "converters_after_post_init": Since(
            "converters that run after `__post_init__`",
            "equinox>=0.12.0",
            "https://github.com/patrick-kidger/equinox/blob/v0.12.0/equinox/_module.py",
        ),
        "shardings_are_refused": Since(
            "an error for the shardings of `filter_jit`",
            "equinox>=0.13.1",
            "https://github.com/patrick-kidger/equinox/blob/v0.13.1/equinox/_jit.py",
        ),
        # Fields are documented as those of dataclasses, which up to Python 3.10 refuse lists, dicts
        # and sets alone.
        "unhashable_defaults_are_refused": Since(
            "an error for every unhashable default of a dataclass",
            "python>=3.11",
            "https://docs.python.org/3/whatsnew/3.11.html#dataclasses",
        ),
        "checkpoints": _CHECKPOINTS,
        # The recipes of training take Equinox and Optax together.
        "optax": Since("Optax", "optax", "https://optax.readthedocs.io/"),
    },
    "flax": {
        # `import flax` needs no Optax; a training state does.
        "optax": Since("Optax", "optax", "https://optax.readthedocs.io/"),
        "axes_of_replicas": Since(
            "names of the axes of replicas",
            "flax>=0.12.7",
            "https://github.com/google/flax/blob/v0.12.7/flax/jax_utils.py",
        ),
    },
    "nnx": {
        "views_by_signature": Since(
            "a `set_view` that is given only the settings it takes",
            "flax>=0.12.6",
            f"{_NNX.format('0.12.6')}/module.py",
        ),
        "variables_are_nodes": Since(
            "Variables that are PyTrees",
            "flax>=0.10.7",
            f"{_NNX.format('0.10.7')}/variablelib.py",
        ),
        "modules_are_nodes": Since(
            "modules that are PyTrees", "flax>=0.11.0", f"{_NNX.format('0.11.0')}/pytreelib.py"
        ),
        "sequential_without_layers": Since(
            "`Sequential()` as the identity", "flax>=0.12.0", f"{_NNX.format('0.12.0')}/helpers.py"
        ),
        # Before, data in a static attribute were arrays alone, and looked for after `__init__`.
        "attributes_are_checked": Since(
            "an error when data is set as a static attribute",
            "flax>=0.12.5",
            f"{_NNX.format('0.12.5')}/pytreelib.py",
        ),
        # Before, a State had no entry for a number that is data.
        "states_hold_data": Since(
            "States of what is marked as data",
            "flax>=0.12.5",
            "https://github.com/google/flax/pull/5227",
        ),
        "converted_modules_have_no_graphdef": Since(
            "converted modules whose variables are all in collections of their types",
            "flax>=0.10.6",
            f"{_NNX.format('0.10.6')}/bridge/wrappers.py",
        ),
        "bridge_skips_streams": Since(
            "`to_linen(skip_rng)`",
            "flax>=0.11.0",
            "https://github.com/google/flax/pull/4813",
        ),
        "bridge_calls_methods": Since(
            "methods of converted modules that are called by their names",
            "flax>=0.11.0",
            "https://github.com/google/flax/pull/4808",
        ),
        # Before, the names of axes had other names in the metadata.
        "out_sharding": Since(
            "`out_sharding`, the names of a Variable's axes",
            "flax>=0.12.4",
            f"{_NNX.format('0.12.4')}/variablelib.py",
        ),
        "former_names_warn": Since(
            "former names of `out_sharding` in `set_metadata`, and warnings of them",
            "flax>=0.12.6",
            f"{_NNX.format('0.12.6')}/variablelib.py",
        ),
        "explicit_axes": Since(
            "`jax.set_mesh`, the context of explicit axes",
            "jax>=0.7.1",
            "https://docs.jax.dev/en/latest/changelog.html",
        ),
        "hooks_are_deprecated": Since(
            "warnings that hooks are deprecated",
            "flax>=0.12.7",
            "https://github.com/google/flax/pull/5415",
        ),
        "optimizer_takes_graph": Since(
            "the option `graph` of an Optimizer",
            "flax>=0.12.8",
            "https://github.com/google/flax/blob/v0.12.8/flax/nnx/training/optimizer.py",
        ),
        "optimizer_returns_updates": Since(
            "`Optimizer.update` that returns the updates",
            "flax>=0.12.7",
            f"{_NNX.format('0.12.7')}/training/optimizer.py",
        ),
        "transforms_take_trees": GRAPH_OPTIONS,
        "jit_has_stages": Since(
            "`trace` and `lower` of a compiled function",
            "flax>=0.10.7",
            f"{_NNX.format('0.10.7')}/transforms/compilation.py",
        ),
        "checkpoints": _CHECKPOINTS,
        "bare_arrays": ARRAY_ATTRIBUTES,
        "subclasses_of_state_are_nodes": Since(
            "subclasses of State that are registered as nodes",
            "flax>=0.10.4",
            f"{_NNX.format('0.10.4')}/statelib.py",
        ),
        "eval_shape_adds_shardings": Since(
            "shardings from metadata in eval_shape",
            "flax>=0.12.6",
            f"{_NNX.format('0.12.6')}/transforms/transforms.py",
        ),
        "rules_get_updates": Since(
            "updates_g of custom_vjp",
            "flax>=0.12.8",
            f"{_NNX.format('0.12.8')}/transforms/autodiff.py",
        ),
        "jit_partial_takes_static_arguments": Since(
            "jit_partial(static_argnums)",
            "flax>=0.12.8",
            f"{_NNX.format('0.12.8')}/transforms/compilation.py",
        ),
    },
}


@functools.cache
def of(family: str) -> frozenset[str]:
    """Return the claims of the installed release of a library beyond its names.

    Args:
        family: the family of its subject, such as `"nnx"`.
    """
    stated = (one for one in known(family).items() if _installed(one[1]))
    return frozenset(claim for claim, since in stated if not since.lacking())


@functools.cache
def known(family: str) -> Mapping[str, Since]:
    """Return the claims of all supported releases, with the releases that have them."""
    named = {claim: names.since(name) for claim, name in _NAMED.get(family, {}).items()}
    found = {claim: since for claim, since in named.items() if since is not None}
    return found | dict(_STATED.get(family, {}))


def named() -> dict[tuple[str, str], str]:
    """Return the name or parameter that shows a claim, by family and claim."""
    return {(family, one): name for family, held in _NAMED.items() for one, name in held.items()}


def _installed(since: Since) -> bool:
    return version(Requirement(since.requirement).name) is not None
