"""Optax: the updates of transformations, compared with their documented formulas."""

from __future__ import annotations

from hypothesis_pytrees.optax.rules import formulas
from treelaws.core.law import Topic

from ._formulas import TRANSFORMS, follows
from ._inputs import DOCS
from ._rescaling import RESCALING

law = Topic("optax.formulas", "Optax: formulas of transformations", family="optax")
_PAGE = f"{DOCS}transformations.html"


@law(
    "`trace`, with Nesterov momentum too, and `ema`, with and without a bias, give the updates of "
    "their documented formulas, step after step",
    # The formula of Nesterov momentum is at `optax.sgd`, and a test shows that of the bias.
    source=f"{_PAGE}#optax.trace",
    level="should",
    needs={"trace", "ema"},
    case=formulas.formulas(formulas.AVERAGES),
)
def averages_are_those_of_the_formula(lib, case):
    follows(case, TRANSFORMS)


@law(
    "decay, clipping and bounds of parameters give the updates that their documentation describes, "
    "step after step, for parameters of each rank for which it does",
    source=f"{_PAGE}#optax.add_decayed_weights",
    level="should",
    needs={"keep_params_nonnegative", "add_decayed_weights"},
    case=formulas.formulas(formulas.TRANSFORMS),
)
def updates_are_those_of_the_formula(lib, case):
    follows(case, TRANSFORMS)


@law(
    "rescaling of gradients gives the updates of its documented formula, step after step, for "
    "parameters of every rank",
    # Formulas stand at the optimisers: #optax.adam, #optax.adabelief, #optax.adadelta (in prose),
    # and in contrib.html#optax.contrib.ademamix.
    source=f"{_PAGE}#optax.scale_by_adam",
    level="should",
    needs={"scale_by_adam", "normalize_by_update_norm"},
    case=formulas.formulas(formulas.RESCALING),
)
def rescaled_updates_are_those_of_the_formula(lib, case):
    follows(case, RESCALING)
