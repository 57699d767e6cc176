"""Flax Linen: `nn.vmap` and `nn.scan` of modules, compared with calls for each index."""

from __future__ import annotations

import jax

from hypothesis_pytrees.flax.lifted.initialised import initialised_modules
from hypothesis_pytrees.flax.lifted.loops import mapped_modules, scanned_modules
from treelaws.core.law import Topic
from treelaws.equality import same

from ._linen_axes import at, mapped, scanned, variables_together
from .training import same_types

law = Topic("flax.linen", "Flax Linen: lifted transforms and boxed variables", family="flax")
_LINEN = "https://flax-linen.readthedocs.io/en/latest/api_reference/flax.linen/"
TRANSFORMS = f"{_LINEN}transformations.html#flax.linen."
# A fixed commit, so that its line numbers stay correct.
_NAMED = (
    "https://github.com/google/flax/blob/18f8f311c275d57f46d95e41b15aa97b454754c0/flax/core/meta.py"
    "#L234-L247"
)


@law(
    "a module that draws no random numbers gives under `nn.vmap` the results and the variables of "
    "a call for each index, along `out_axes` and `variable_axes`",
    source=f"{TRANSFORMS}vmap",
    needs={"linen.vmap"},
    case=mapped_modules(),
)
def vmap_computes_what_each_index_computes(lib, case):
    model = case.build(lambda target, **kw: lib.linen.vmap(target, **case.options, **kw))
    got = model.apply(variables_together(case, case.each), *case.args, **case.call)
    same(got, mapped(case))


@law(
    "a module that draws no random numbers gives under `nn.scan` the results and the variables of "
    "calls in order, each with what the last one carries, if they may change what they carry",
    source=f"{TRANSFORMS}scan",
    needs={"linen.scan"},
    case=scanned_modules(),
)
def scan_computes_what_calls_in_order_compute(lib, case):
    model = case.build(lambda target, **kw: lib.linen.scan(target, **case.options, **kw))
    got = model.apply(variables_together(case, case.each), *case.args, **case.call)
    same(got, scanned(case))


@law(
    "the variables that a module under `nn.vmap` or `nn.scan` is initialised with are those of the "
    "module with an axis more at `variable_axes`; boxes give that axis the name in "
    "`metadata_params`",
    source=_NAMED,
    needs={"linen.vmap", "linen.scan"},
    case=initialised_modules(),
)
def lifted_variables_get_an_axis(lib, case):
    got = jax.eval_shape(case.build(case.lift).init, case.seeds, *case.args)
    same_types(got, jax.eval_shape(lambda: variables_together(case, case.each)))


@law(
    "if `nn.vmap` or `nn.scan` splits no stream, a module whose initial values depend on keys "
    "alone is initialised with the same variables for each index",
    source=f"{TRANSFORMS}vmap",
    needs={"linen.vmap", "linen.scan"},
    case=initialised_modules(splits=False),
    parents=[lifted_variables_get_an_axis],
)
def unsplit_variables_are_the_same_for_each_index(lib, case):
    made = case.build(case.lift).init(case.seeds, *case.args)
    axes = {name: case.axis_of[name] for name in made}
    for index in range(len(case.each)):
        same(at(axes, made, index), at(axes, made, 0))
