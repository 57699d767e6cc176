"""Gradient transformations: each public function of optax that makes one, called with simple text.

The functions are those that the installed release has by `core/names.json`, and those of a newer
release. Two tables add arguments without a usable default, and functions that are excluded, each
with its reason.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe

# The argument of wrappers: its state has the structure of the parameters, and a count.
_INNER = "optax.adam(0.1)"
# A float32 for every tree.
_MEASURE = "lambda tree: sum((leaf.sum() for leaf in jtu.tree_leaves(tree)), jnp.float32(0))"
_HUTCHINSON = "contrib.hutchinson_estimator_diag_hessian"
# Text for parameters without a default, by name.
ARGUMENTS: Mapping[str, str] = {
    "adv_optimizer": "optax.sgd(0.05)",
    "base_optimizer": _INNER,
    "clipping": "0.1",
    "decay": "0.9",
    "eta": "0.1",
    "fast_optimizer": _INNER,
    "freeze_mask": "False",
    "gamma": "0.55",
    "inner": _INNER,
    "key": "0",
    "l2_norm_clip": "1.0",
    "learning_rate": "0.1",
    "mask": "True",
    "max_backtracking_steps": "3",
    "max_consecutive_errors": "3",
    "max_delta": "1.0",
    "max_linesearch_steps": "3",
    "max_norm": "1.0",
    "measure": _MEASURE,
    "measure_name": "'norm'",
    "measures": f"{{'norm': {_MEASURE}}}",
    "noise_multiplier": "0.1",
    "optimizer": _INNER,
    "param_labels": "'all'",
    "seed": "0",
    "should_transform_fn": "lambda step, **extra: step % 2 == 0",
    "slow_step_size": "0.5",
    "step_size": "-0.1",
    "step_size_fn": "optax.constant_schedule(0.1)",
    "sync_period": "2",
    "threshold": "1.0",
    "transforms": f"{{'all': {_INNER}}}",
    "tx": _INNER,
}
# Functions whose arguments have no name, or whose signature names no gradient transformation.
WHOLE: Mapping[str, str] = {
    "MultiSteps": f"optax.MultiSteps({_INNER}, 2)",
    "adadelta": "optax.adadelta(0.1)",
    "chain": f"optax.chain(optax.clip(1.0), {_INNER})",
    "contrib.dog": "optax.contrib.dog()",
    "contrib.dowg": "optax.contrib.dowg()",
    _HUTCHINSON: f"optax.{_HUTCHINSON}()",
    "inject_hyperparams": "optax.inject_hyperparams(optax.adam)(0.1)",
    "monitor": f"optax.monitor({{'norm': {_MEASURE}}})",
    "named_chain": f"optax.named_chain(('z', optax.clip(1.0)), ('a', {_INNER}))",
    "scale_by_factored_rms": "optax.scale_by_factored_rms()",
    "scale_by_schedule": "optax.scale_by_schedule(optax.linear_schedule(0.1, 0.0, 10))",
    "stateless": "optax.stateless(lambda updates, params: updates)",
    "stateless_with_tree_map": "optax.stateless_with_tree_map(lambda update, param: update)",
}
# Functions that return a gradient transformation and are not subjects.
EXCEPTIONS: Mapping[str, str] = {
    "GradientTransformation": "the class itself",
    "GradientTransformationExtraArgs": "the class itself",
    "inject_stateful_hyperparams": "warns on each call; since 0.1.9 documented as deprecated",
    "contrib.dpsgd": "asks for an argument that another function warns of; subjects are its parts",
    "optimistic_adam": "warns on each call; replaced by optimistic_adam_v2",
    "maybe_update": "warns on each call; replaced by conditionally_transform",
}
# Every name in any supported release, so that a release that lacks one is told from a typing error.
_NAMES = """
MultiSteps adabelief adadelta adafactor adagrad adam adamax adamaxw adamw adan
adaptive_grad_clip add_decayed_weights add_noise amsgrad apply_every apply_if_finite
centralize chain clip clip_by_block_rms clip_by_global_norm conditionally_mask
conditionally_transform ema flatten freeze fromage identity inject_hyperparams
keep_params_nonnegative lamb lars lbfgs lion lookahead masked measure_with_ema monitor
multi_transform nadam nadamw named_chain noisy_sgd normalize_by_update_norm novograd
optimistic_adam_v2 optimistic_gradient_descent partition polyak_sgd radam rmsprop rprop
scale scale_by_adadelta scale_by_adam scale_by_adamax scale_by_adan scale_by_amsgrad
scale_by_backtracking_linesearch scale_by_belief scale_by_distance_over_gradients
scale_by_factored_rms scale_by_lbfgs scale_by_learning_rate scale_by_lion scale_by_novograd
scale_by_optimistic_gradient scale_by_param_block_norm scale_by_param_block_rms
scale_by_polyak scale_by_radam scale_by_rms scale_by_rprop scale_by_rss scale_by_schedule
scale_by_sign scale_by_sm3 scale_by_stddev scale_by_trust_ratio scale_by_yogi
scale_by_zoom_linesearch selective_transform set_to_zero sgd sign_sgd signum sm3 snapshot
stateless stateless_with_tree_map trace with_extra_args_support yogi zero_nans
contrib.acprop contrib.ademamix contrib.adopt contrib.cocob contrib.dadapt_adamw
contrib.differentially_private_aggregate contrib.dog contrib.dowg contrib.galore
contrib.hutchinson_estimator_diag_hessian contrib.madgrad contrib.mechanize contrib.momo
contrib.momo_adam contrib.muon contrib.normalize contrib.prodigy contrib.reduce_on_plateau
contrib.sam contrib.scale_by_acprop contrib.scale_by_ademamix contrib.scale_by_adopt
contrib.scale_by_cocob contrib.scale_by_galore contrib.scale_by_madgrad
contrib.scale_by_muon contrib.scale_by_simplified_ademamix contrib.schedule_free
contrib.schedule_free_adamw contrib.schedule_free_sgd contrib.simplified_ademamix
contrib.sophia contrib.split_real_and_imaginary
"""
NAMES: tuple[str, ...] = tuple(_NAMES.split())
# Optional parameters that change what the state holds, and text for them. Dtypes are those of
# accumulators.
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "accumulator_dtype": ("jnp.float32", "jnp.bfloat16"),
    "dtype_momentum": ("jnp.float32", "jnp.bfloat16"),
    "mu_dtype": ("jnp.float32", "jnp.bfloat16"),
    "state_dtype": ("jnp.float32", "jnp.bfloat16", "'bfloat16'"),
    "momentum": ("0.9",),
    "nesterov": ("True",),
    "weight_decay": ("0.1",),
    "bias_correction": ("True",),
    "learning_rate": ("optax.linear_schedule(0.1, 0.0, 10)",),
    "reset_state": ("True",),
    "store_grad": ("True",),
}
# A learning rate that may be a schedule, as its annotation says.
SCHEDULES = "learning_rate: Schedule|Callable"
DTYPES = ("accumulator_dtype", "dtype_momentum", "mu_dtype", "state_dtype")
# A number of the loss, by the documentation of `update` of each.
_VALUE = "'value': jax.device_put(np.float32(1.0))"
_LOSS = "lambda tree: sum((jnp.sum(leaf**2.0) for leaf in jtu.tree_leaves(tree)), jnp.float32(0))"
# Of complex numbers, too, with the gradients that optimisers take.
_SQUARES = (
    "lambda tree: sum((jnp.sum((leaf * leaf.conj()).real) for leaf in jtu.tree_leaves(tree)), "
    "jnp.float32(0))"
)
_SEARCHED = "{'value': loss(params), 'grad': grads, 'value_fn': loss}"
_LINE_SEARCH = f"(lambda loss: {_SEARCHED})({_SQUARES})"
_HESSIAN = f"{{'obj_fn': {_LOSS}}}"
# Keyword arguments that `update` of a transformation asks for.
EXTRA: Mapping[str, str] = {
    "polyak_sgd": f"{{{_VALUE}}}",
    "scale_by_polyak": f"{{{_VALUE}}}",
    "contrib.momo": f"{{{_VALUE}}}",
    "contrib.momo_adam": f"{{{_VALUE}}}",
    "contrib.reduce_on_plateau": f"{{{_VALUE}}}",
    "lbfgs": _LINE_SEARCH,
    "scale_by_backtracking_linesearch": _LINE_SEARCH,
    "scale_by_zoom_linesearch": _LINE_SEARCH,
    "contrib.sophia": _HESSIAN,
    _HUTCHINSON: _HESSIAN,
}


@dataclasses.dataclass(frozen=True, eq=False)
class Transformation:
    """One public function of optax that makes a gradient transformation.

    Args:
        name: its name below `optax`, for example `"adam"` or `"contrib.dog"`.
        text: expression that calls it with simple arguments.
        options: further arguments by the parameter's name, from `OPTIONS`.
        extra: text of the keyword arguments that `update` asks for.
    """

    name: str
    text: str
    options: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    extra: str = "{}"

    @property
    def feature(self) -> str:
        """The feature of recipes that hold it."""
        return f"transformation:{self.name}"


@functools.cache
def found() -> tuple[Transformation, ...]:
    """Return the gradient transformations of the installed optax, those of `optax.contrib` last.

    One that the release should have and lacks is among them, so that its laws fail.
    """
    optax = importlib.import_module("optax")
    modules = (("", optax), ("contrib.", importlib.import_module("optax.contrib")))
    present = {f"{pre}{name}": one for pre, module in modules for name, one in _functions(module)}
    stated = {name for name in NAMES if names.has(f"optax.{name}")}
    others = {
        name
        for name, function in present.items()
        if name not in (*NAMES, *EXCEPTIONS) and gives_a_transformation(name, function)
    }
    ranked = sorted(stated | others, key=lambda name: (name.startswith("contrib."), name))
    return tuple(made for name in ranked if (made := _made(name, present.get(name))))


def _functions(module: Any) -> Iterator[tuple[str, Any]]:
    for name in dir(module):
        if not name.startswith("_") and callable(getattr(module, name)):
            yield name, getattr(module, name)


def gives_a_transformation(name: str, function: Any) -> bool:
    """Return whether a function is annotated to return a gradient transformation.

    Args:
        name: its name below `optax`.
        function: the function.
    """
    if name in WHOLE:
        return True
    try:
        given = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        return False
    text = given if isinstance(given, str) else getattr(given, "__name__", "")
    return text.rpartition(".")[2].startswith("GradientTransformation")


def _made(name: str, function: Any) -> Transformation | None:
    extra = EXTRA.get(name, "{}")
    if name in WHOLE:
        return Transformation(name, WHOLE[name], extra=extra)
    parameters = inspect.signature(function).parameters if function is not None else {}
    needed = [p for p in parameters.values() if p.default is p.empty or p.name == "key"]
    if name not in NAMES and any(p.name not in ARGUMENTS for p in needed):
        return None
    # An argument that only a newer release asks for is left out, and its laws fail.
    given = [p.name for p in needed if p.name in ARGUMENTS]
    arguments = ", ".join(f"{one}={ARGUMENTS[one]}" for one in given)
    asked = {key: SCHEDULES if key == "learning_rate" else key for key in OPTIONS}
    options = {
        key: _other_values(key, parameters.get(key))
        for key, text in asked.items()
        if names.has(f"optax.{name}({text})")
    }
    return Transformation(name, f"optax.{name}({arguments})", options, extra)


def _other_values(key: str, parameter: inspect.Parameter | None) -> tuple[str, ...]:
    """Return the texts for an option; a switch that is on is turned off."""
    on = parameter is not None and parameter.default is True
    return ("False",) if on and OPTIONS[key] == ("True",) else OPTIONS[key]


def simple(made: Transformation) -> Recipe:
    """Return the call with simple arguments."""
    return _call(made, made.text)


def optional(made: Transformation, names: tuple[str, ...] = tuple(OPTIONS)) -> list[Recipe]:
    """Return the calls with one further argument.

    Args:
        made: the transformation.
        names: the parameters to set; default all of `OPTIONS`.
    """
    return [
        _call(
            made, with_argument(made.text, name, value), f"option:{name}", f"option:{name}={value}"
        )
        for name in names
        for value in made.options.get(name, ())
    ]


def with_argument(text: str, parameter: str, value: str) -> str:
    """Return the text of a call with one more argument, or with another value of one it has.

    Args:
        text: the call.
        parameter: the name of the parameter.
        value: text.
    """
    known = f"{parameter}={ARGUMENTS.get(parameter)}"
    if known in text:
        return text.replace(known, f"{parameter}={value}")
    return f"{text[:-1]}{'' if text.endswith('()') else ', '}{parameter}={value})"


def _call(made: Transformation, text: str, *features: str) -> Recipe:
    return Recipe(expression=text, features=frozenset((made.feature, *features)))
