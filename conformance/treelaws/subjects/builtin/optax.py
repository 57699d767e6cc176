"""Optax as a subject, and each of its gradient transformations."""

from __future__ import annotations

import functools
import importlib
from importlib.util import find_spec
from types import ModuleType

from hypothesis_pytrees.core.availability import absence
from hypothesis_pytrees.optax.further_options import array_options, further_options, mask_options
from hypothesis_pytrees.optax.optimisations import optimisations
from hypothesis_pytrees.optax.transformations import DTYPES, NAMES, Transformation, found
from treelaws.compat import claims
from treelaws.core.subject import Subject, add

# Documented to return a measurement instead of updates.
_MEASURES = {"measure_with_ema"}
# Documented to return updates of another structure or shape than the gradients.
_RESHAPE = {"contrib.differentially_private_aggregate", "lookahead", "measure_with_ema"}
# Documented to pass extra keyword arguments to `value_fn`, which rejects unknown ones.
_FORWARD = {"lbfgs", "scale_by_backtracking_linesearch", "scale_by_zoom_linesearch"}
# Those that the tests of Optax run on complex numbers.
_COMPLEX = {
    *("adabelief", "adafactor", "adagrad", "adam", "adamax", "adamaxw", "adamw", "amsgrad", "lamb"),
    *("nadam", "nadamw", "novograd", "optimistic_adam_v2", "radam", "rmsprop", "sgd", "yogi"),
    *("scale_by_lbfgs", "lbfgs", "scale_by_backtracking_linesearch", "scale_by_zoom_linesearch"),
}
# Those that the tests of Optax call with arguments that they do not need. `polyak_sgd` is called
# with the value of the loss alone there.
_OPTIMISERS = {
    *(
        "adabelief",
        "adadelta",
        "adafactor",
        "adagrad",
        "adam",
        "adamax",
        "adamaxw",
        "adamw",
        "adan",
    ),
    *("amsgrad", "fromage", "lamb", "lars", "lion", "nadam", "nadamw", "noisy_sgd", "novograd"),
    *("optimistic_adam_v2", "optimistic_gradient_descent", "radam", "rmsprop"),
    *("rprop", "sgd", "sign_sgd", "sm3", "yogi", "contrib.acprop", "contrib.ademamix"),
    *("contrib.simplified_ademamix", "contrib.adopt", "contrib.cocob", "contrib.dadapt_adamw"),
    *("contrib.dog", "contrib.dowg", "contrib.madgrad", "contrib.momo", "contrib.momo_adam"),
    *("contrib.muon", "contrib.prodigy", "contrib.schedule_free_sgd", "contrib.sophia"),
    *("contrib.schedule_free_adamw", "contrib.galore", "contrib.mechanize"),
    *("contrib.schedule_free", "contrib.reduce_on_plateau"),
}
# Those that the tests of Optax call with abstract parameters, and line searches: a pull request
# that changes their tests says that it is for such parameters.
_ABSTRACT = {
    *("adam", "sgd", "adabelief", "adamax", "adagrad", "adamw", "rmsprop", "adadelta", "adafactor"),
    *("adan", "adamaxw", "amsgrad", "fromage", "lamb", "lars", "lion", "nadam", "nadamw"),
    *("noisy_sgd", "novograd", "optimistic_gradient_descent", "radam", "sm3", "yogi", "lbfgs"),
    *("scale_by_backtracking_linesearch", "scale_by_zoom_linesearch", "scale_by_lbfgs"),
}
# A random key has no bytes for msgpack, and Flax knows no `OrderedDict`; both are refused.
_UNSAVED = {
    *("add_noise", "noisy_sgd", "named_chain"),
    "contrib.differentially_private_aggregate",
}
# Known to take no arguments by keyword (`chain`, `named_chain`), no function that returns a
# transformation, and the wrapper itself.
_NOT_INJECTED = {"MultiSteps", "chain", "named_chain", "inject_hyperparams"}
# Outside `jit`, their loops and random numbers take seconds to compile.
_LOOPS = {
    *("lbfgs", "scale_by_backtracking_linesearch", "scale_by_zoom_linesearch"),
    *("contrib.hutchinson_estimator_diag_hessian", "contrib.muon", "contrib.scale_by_muon"),
    *("contrib.mechanize", "contrib.sophia"),
}
# Those whose states are of different kinds: laws that save or copy states run on these alone.
_STATES = {
    *("adam", "add_noise", "noisy_sgd", "named_chain", "inject_hyperparams", "MultiSteps", "lbfgs"),
    "contrib.differentially_private_aggregate",
}


def _library() -> ModuleType:
    return importlib.import_module("optax")


def _claims(made: Transformation) -> frozenset[str]:
    claims = set() if made.name in _MEASURES else {"updates"}
    if made.name not in _RESHAPE:
        claims.add("updates_like_gradients")
    if made.name not in _FORWARD:
        claims.add("ignores_extra_arguments")
    if any(name in made.options for name in DTYPES):
        claims.add("accumulator_dtype")
    if further_options(made):
        claims.add("further_options")
    if array_options(made):
        claims.add("takes_arrays_for_numbers")
    if mask_options(made):
        claims.add("takes_a_mask")
    if made.name not in _NOT_INJECTED:
        claims.add("made_by_a_factory")
    if made.name not in _LOOPS:
        claims.add("updates_without_a_loop")
    if made.name in _OPTIMISERS:
        claims.add("tested_with_extra_arguments")
    if made.name in _ABSTRACT:
        claims.add("tested_with_abstract_parameters")
    if made.extra.startswith("{'value'"):
        claims.add("takes_a_value")
    if made.name in _COMPLEX:
        claims.add("takes_complex_numbers")
    if made.name in _STATES:
        claims.add("has_a_state_of_its_own_kind")
        claims |= {"saved_by_equinox"} if find_spec("equinox") is not None else set()
        flax = made.name not in _UNSAVED and find_spec("flax") is not None
        claims |= {"saved_by_flax"} if flax else set()
    return frozenset(claims)


optax = add(
    Subject(
        "optax",
        "optax",
        _library,
        claims=lambda _: claims.of("optax"),
        requires="optax",
        part_of="optax",
    )
)
_FOUND = () if absence("optax") else found()
for _made in _FOUND:
    add(
        Subject(
            f"optax.{_made.name}",
            "transformation",
            _library,
            claims=_claims(_made),
            kind=_made.feature,
            instances=functools.partial(optimisations, _made),
            requires="optax",
            part_of="optax",
        )
    )
# Transformations of other releases: known departures may name them, but no law applies to them
# here. Without Optax, each is registered so that its laws are skipped with that reason.
_FAMILY = "absent transformation" if _FOUND else "transformation"
for _name in NAMES:
    if _name not in {made.name for made in _FOUND}:
        add(Subject(f"optax.{_name}", _FAMILY, _library, requires="optax", part_of="optax"))
