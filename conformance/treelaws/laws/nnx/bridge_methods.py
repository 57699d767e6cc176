"""Flax NNX: methods of modules that are converted from and to Linen."""

from __future__ import annotations

import jax

from hypothesis_pytrees.flax.bridge.methods import converted_methods, linen_methods
from treelaws.equality import same

from ._bridged import flattened, linen_variables, updated
from .bridge import law, lazy_init_makes_the_variables_of_linen
from .bridge_to_linen import converted_nnx_modules_return_the_same

_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/bridge.html"
_TO_NNX = "https://github.com/google/flax/pull/4766"


@law(
    "`lazy_init` with a method of a converted Linen module makes the variables that `init` of "
    "Linen makes with that method",
    source=_TO_NNX,
    level="should",
    needs={"bridge", "bridge_calls_methods"},
    case=linen_methods(),
    parents=[lazy_init_makes_the_variables_of_linen],
)
def lazy_init_runs_the_method(lib, case):
    model, variables = _made(lib, case)
    same(flattened(linen_variables(lib, model)), flattened(variables))


@law(
    "a method of a converted Linen module returns what `apply` of Linen with that method returns, "
    "and leaves the variables that it leaves with `mutable`",
    source=_TO_NNX,
    level="should",
    needs={"bridge", "bridge_calls_methods"},
    case=linen_methods(),
    parents=[lazy_init_runs_the_method],
)
def linen_methods_return_the_same(lib, case):
    model, variables = _made(lib, case)
    options = {"method": case.method, "mutable": case.mutable}
    wanted = case.module.apply(variables, *case.args, **case.named, **options)
    wanted, updates = (wanted, {}) if case.mutable is False else wanted
    same(case.call(model, mutable=case.mutable), wanted)
    same(flattened(linen_variables(lib, model)), flattened(updated(variables, updates)))


@law(
    "a method of a converted module of NNX returns within Linen what the method of the module "
    "returns",
    source=f"{_API}#flax.nnx.bridge.ToLinen",
    level="should",
    needs={"bridge", "bridge_calls_methods"},
    case=converted_methods(),
    parents=[converted_nnx_modules_return_the_same],
)
def nnx_methods_return_the_same(lib, case):
    variables = case.linen.init(jax.random.key(0), case.x)
    same(case.apply(variables), case.make().encode(*case.args, **case.named))


def _made(lib, case):
    """Return a converted module, and the variables that Linen makes."""
    model = lib.bridge.ToNNX(case.module, rngs=lib.Rngs(0))
    case.initialise(model)
    options = {"method": case.method, **case.named}
    return model, case.module.init(jax.random.key(0), *case.args, **options)
