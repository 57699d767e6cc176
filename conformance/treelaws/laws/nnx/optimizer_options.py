"""Flax NNX: gradients in other forms, and the option `graph` of an Optimizer."""

from __future__ import annotations

from treelaws.compat import nnx as nnx_api

from ._model import same_graph
from .optimizer import CASES, grads_of, law, update_agrees_with_optax

_DOCS = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/training/optimizer.html"
_UPDATE = f"{_DOCS}#flax.nnx.optimizer.Optimizer.update"


@law(
    "`Optimizer.update` uses the gradients of what `wrt` selects, of a State or of a module that "
    "holds more",
    source=_UPDATE,
    level="should",
    needs={"Optimizer", "optimizer_returns_updates"},
    case=CASES,
    parents=[update_agrees_with_optax],
)
def gradients_of_the_rest_do_not_count(lib, case):
    graphdef, chosen, rest = lib.split(case.model, case.wrt, ...)
    grads = grads_of(chosen)
    wanted = _updated(lib, case.rebuild(), grads)
    whole = nnx_api.merge_states(lib, grads, rest)
    for given in (whole, lib.merge(graphdef, whole)):
        same_graph(_updated(lib, case.rebuild(), given), wanted)


@law(
    "an Optimizer with `graph=True` has the effect of one without the option",
    source=f"{_DOCS}#flax.nnx.optimizer.Optimizer",
    level="should",
    needs={"Optimizer", "optimizer_takes_graph"},
    case=CASES,
    parents=[update_agrees_with_optax],
)
def graph_mode_is_the_default(lib, case):
    grads = grads_of(lib.state(case.model, case.wrt))
    wanted = _updated(lib, case.rebuild(), grads)
    same_graph(_updated(lib, case.rebuild(), grads, graph=True), wanted)


def _updated(lib, case, grads, **options):
    """Return the model and the state of an Optimizer after one update."""
    optimizer = lib.Optimizer(case.model, case.tx, wrt=case.wrt, **options)
    nnx_api.optimizer_update(optimizer, case.model, grads)
    return [case.model, optimizer.opt_state, optimizer.step]
