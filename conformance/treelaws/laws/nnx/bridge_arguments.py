"""Flax NNX: arguments of modules that are converted to Linen, and their names within Linen."""

from __future__ import annotations

import jax

from hypothesis_pytrees.flax.bridge.arguments import converted_arguments, held_converted
from hypothesis_pytrees.flax.convertible import OF_ARRAYS, PLAIN, convertible
from treelaws.equality import equal, same

from ._bridged import flattened
from .bridge import law
from .bridge_to_linen import converted_nnx_modules_return_the_same

_GUIDE = "https://flax.readthedocs.io/en/latest/guides/bridge_guide.html#nnx-to-linen"
_API = "https://flax.readthedocs.io/en/latest/api_reference/flax.nnx/bridge.html"
_NEEDS = {"bridge", "converted_modules_have_no_graphdef"}


@law(
    "a converted module of NNX is made with the arguments that `to_linen` or `ToLinen` gets, "
    "except for lists and dicts, which Linen freezes, and with `rngs` unless `skip_rng` is true",
    # "The arguments that normally would be passed in to create the NNX module."
    source=f"{_API}#flax.nnx.bridge.ToLinen",
    level="should",
    needs=_NEEDS | {"bridge_skips_streams"},
    case=converted_arguments(),
)
def arguments_make_the_converted_module(lib, case):
    (args, named), variables = case.linen.init_with_output(jax.random.key(0))
    equal(isinstance(named.pop("rngs", None), lib.Rngs), not case.skipped)
    same((args, named), (case.args, case.named))
    (args, named) = case.linen.apply(variables)
    equal(isinstance(named.pop("rngs", None), lib.Rngs), not case.skipped)
    same((args, named), (case.args, case.named))


@law(
    "a module of Linen that holds converted modules of NNX has the variables of each below its "
    "name, and calls them with these",
    source=_GUIDE,
    needs=_NEEDS,
    case=held_converted(convertible(values=OF_ARRAYS, metadata=PLAIN)),
    parents=[converted_nnx_modules_return_the_same],
)
def held_modules_have_variables_below_their_names(lib, case):
    variables, own = (one.init(jax.random.key(0), case.x) for one in (case.outer, case.linen))
    wanted = {name: dict.fromkeys(case.names, parts) for name, parts in own.items()}
    same(flattened(variables), flattened(wanted))
    x, seen = case.x, []
    for _ in case.names:
        x, values = case.linen.apply(own, x)
        seen.append(values)
    same(case.outer.apply(variables, case.x), (x, seen))
