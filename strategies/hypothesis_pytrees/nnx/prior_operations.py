"""Prior operations on a Flax NNX module before a law gets it."""

from __future__ import annotations

from hypothesis_pytrees.core.prior_operations import PriorOperation

_EXTEND = """\
def nnx_add_and_remove(module):
    module.extra_attribute = nnx.Param(jax.device_put(np.float32(1.0)))
    del module.extra_attribute
"""
_SOW = """\
def nnx_sow_and_pop(module):
    import warnings

    with warnings.catch_warnings():
        # Newer releases prefer a call within `nnx.capture`.
        warnings.simplefilter('ignore', DeprecationWarning)
        module.sow(nnx.Intermediate, 'sown', jax.device_put(np.float32(1.0)))
    nnx.pop(module, nnx.Intermediate)
"""
# `sow` is a method of Modules, and `pop` takes every Intermediate away.
_NOT_SOWABLE = frozenset(
    {"nnx:object", "nnx:pytree", "nnx-list", "nnx-dict", "variable:nnx.Intermediate"}
)
# Hooks, initialisers and compiled functions have no name to be pickled by.
_UNPICKLABLE = frozenset(
    {"variable:hook", "nnx:linear", "nnx:sequential", "nnx:static", "attribute:function"}
)
NNX_PRIOR_OPERATIONS: tuple[PriorOperation, ...] = (
    PriorOperation("split-merge", "$tree = nnx.merge(*nnx.split($tree))"),
    PriorOperation("clone", "$tree = nnx.clone($tree)"),
    PriorOperation(
        "deepcopy", "$tree = copy.deepcopy($tree)", forbids=frozenset({"variable:hook"})
    ),
    PriorOperation("add-remove", "nnx_add_and_remove($tree)", (_EXTEND,)),
    PriorOperation("sow-pop", "nnx_sow_and_pop($tree)", (_SOW,), forbids=_NOT_SOWABLE),
    PriorOperation("update", "nnx.update($tree, nnx.state($tree))"),
    PriorOperation("pickle", "$tree = pickle.loads(pickle.dumps($tree))", forbids=_UNPICKLABLE),
)
