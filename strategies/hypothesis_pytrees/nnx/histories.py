"""What happened to a Flax NNX module before a law meets it."""

from __future__ import annotations

from hypothesis_pytrees.core.histories import History

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
# Functions in static attributes, hooks and metrics.
_UNPICKLABLE = frozenset({"variable:hook", "nnx-layer", "nnx:static", "attribute:function"})
NNX_HISTORIES: tuple[History, ...] = (
    History("split-merge", "$tree = nnx.merge(*nnx.split($tree))"),
    History("clone", "$tree = nnx.clone($tree)"),
    History("deepcopy", "$tree = copy.deepcopy($tree)", forbids=frozenset({"variable:hook"})),
    History("add-remove", "nnx_add_and_remove($tree)", (_EXTEND,)),
    History("sow-pop", "nnx_sow_and_pop($tree)", (_SOW,), forbids=_NOT_SOWABLE),
    History("update", "nnx.update($tree, nnx.state($tree))"),
    History("pickle", "$tree = pickle.loads(pickle.dumps($tree))", forbids=_UNPICKLABLE),
)
