"""Transformations of Optax with numbers as options, parameters of every rank, and several steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.recipe import Recipe, Scope
from hypothesis_pytrees.core.releases import Since

_BOOLS = ("True", "False")
_DECAYS = ("0.9", "0.5", "0.0", "0.25")
_LIMITS = ("0.3", "1.7", "25.0")
_EPS = ("1e-3", "0.5")
_SCHEDULES = ("lambda count: 0.5 / (count + 1)", "lambda count: count * 0.25")
_DECAY_SCHEDULES = Since(
    "a schedule as the weight decay",
    "optax>=0.2.6",
    "https://github.com/google-deepmind/optax/blob/v0.2.6/optax/transforms/_adding.py",
)
_BELIEF_NESTEROV = Since(
    "scale_by_belief(nesterov)",
    "optax>=0.2.4",
    "https://github.com/google-deepmind/optax/blob/v0.2.4/optax/_src/transform.py",
)
UNITS_OF_FIVE_AXES = Since(
    "adaptive_grad_clip of arrays with five axes",
    "optax>=0.2.7",
    "https://github.com/google-deepmind/optax/pull/1576",
)
# By function: the texts of each option, of which one is given, or none where it may be left out.
Options = Mapping[str, Sequence[str]]
AVERAGES: Mapping[str, Options] = {
    "trace": {"decay": _DECAYS, "nesterov": ("", *_BOOLS), "accumulator_dtype": ("", "'float32'")},
    "ema": {"decay": _DECAYS, "debias": ("", *_BOOLS), "accumulator_dtype": ("", "'float32'")},
}
TRANSFORMS: Mapping[str, Options] = {
    "add_decayed_weights": {"weight_decay": ("", "0.5", "0.0", "-2.0", *_SCHEDULES)},
    "clip": {"max_delta": ("0.75", "2.0", "100.0")},
    "clip_by_block_rms": {"threshold": _LIMITS},
    "clip_by_global_norm": {"max_norm": _LIMITS},
    "adaptive_grad_clip": {"clipping": _LIMITS, "eps": ("", *_EPS)},
    "keep_params_nonnegative": {},
}
RESCALING: Mapping[str, Options] = {
    "centralize": {},
    "contrib.scale_by_ademamix": {
        "b1": ("", *_DECAYS),
        "b2": ("", "0.5", "0.25"),
        "b3": ("", "0.5"),
        "alpha": ("", "0.5", "0.0"),
        "eps": _EPS,
        "eps_root": ("", "0.5"),
    },
    "normalize_by_update_norm": {"scale_factor": ("", "2.0", "-0.5"), "eps": ("", *_EPS)},
    "scale": {"step_size": ("2.0", "-0.5", "0.0")},
    "scale_by_adam": {
        "b1": ("", *_DECAYS),
        "b2": ("", "0.5", "0.25"),
        "eps": _EPS,
        "eps_root": ("", "0.5"),
        "nesterov": ("", *_BOOLS),
    },
    "scale_by_adadelta": {"rho": ("", *_DECAYS), "eps": _EPS},
    "scale_by_adamax": {"b1": ("", *_DECAYS), "b2": ("", "0.5"), "eps": _EPS},
    "scale_by_belief": {
        "b1": ("", *_DECAYS),
        "b2": ("", "0.5", "0.25"),
        "eps": _EPS,
        "eps_root": ("0.5", "0.0"),
        **({} if _BELIEF_NESTEROV.lacking() else {"nesterov": ("", *_BOOLS)}),
    },
    "scale_by_lion": {"b1": ("", "0.5"), "b2": ("", "0.25")},
    "scale_by_optimistic_gradient": {
        "alpha": ("", "0.5", "0.0", "-2.0"),
        "beta": ("", "0.5", "0.0", "-2.0"),
    },
    "scale_by_param_block_norm": {"min_scale": ("", "0.5", "2.0")},
    "scale_by_param_block_rms": {"min_scale": ("", "0.5", "2.0")},
    "scale_by_rms": {"decay": ("", *_DECAYS), "eps": _EPS, "initial_scale": ("", "2.0")},
    "scale_by_rprop": {
        "learning_rate": ("0.5", "0.25"),
        "eta_minus": ("", "0.25"),
        "eta_plus": ("", "2.0"),
        "min_step_size": ("", "0.4"),
        "max_step_size": ("", "0.6"),
    },
    "scale_by_rss": {"initial_accumulator_value": ("", "0.5"), "eps": _EPS},
    "scale_by_schedule": {"step_size_fn": _SCHEDULES},
    "scale_by_sign": {},
    "scale_by_trust_ratio": {
        "min_norm": ("", "0.5", "3.0"),
        "trust_coefficient": ("", "0.25"),
        "eps": ("", "0.5"),
    },
}
# Numbers of float32 without rounding.
_NUMBERS = ("0.0", "1.0", "-2.0", "0.5", "3.0", "-0.25", "8.0")
# By rank; the last two are of rank five.
SHAPES = (
    *("()", "(3,)", "(1,)", "(2, 3)", "(1, 3)", "(3, 1)", "(2, 1, 3)", "(2, 3, 2)", "(1, 2, 1)"),
    *("(2, 2, 1, 2)", "(1, 2, 2, 3)", "(2, 1, 2, 1, 2)", "(1, 2, 1, 2, 3)"),
)
# With three axes, or one long axis, units are not those that `unitwise_norm` documents.
_OF_UNITS = ("()", "(3,)", "(1,)", "(2, 3)", *SHAPES[-4:])
# For what takes long to compile.
FEW = ("(3,)", "()")
_TREES = ("{}", "{{'b': {}, 'a': [None, {}]}}", "({}, {{}}, {})", "[[{}], {}, {}]")


@st.composite
def formulas(draw: st.DrawFn, table: Mapping[str, Options]) -> Recipe:
    """Draw `tx`, which the function `name` makes with `options`, for `params` and `grads`.

    `grads` is a list of the gradients of one step after the other.

    Args:
        table: the functions, such as `TRANSFORMS`.
    """
    scope = Scope()
    name = draw(st.sampled_from([one for one in table if names.has(f"optax.{one}")]))
    scope.note(f"formula:{name}")
    given = {key: draw(st.sampled_from(_usable(key, texts))) for key, texts in table[name].items()}
    scope.note(*(f"{key}:schedule" for key, text in given.items() if text in _SCHEDULES))
    scope.bind("name", repr(name))
    held = ", ".join(f"{key!r}: {text}" for key, text in given.items() if text)
    scope.bind("options", f"{{{held}}}")
    scope.bind("tx", f"optax.{name}(**options)")
    shapes = _OF_UNITS if name == "adaptive_grad_clip" else SHAPES
    lacks = shapes is _OF_UNITS and UNITS_OF_FIVE_AXES.lacking()
    bind_steps(
        draw,
        scope,
        positive=name == "keep_params_nonnegative",
        shapes=shapes[:-2] if lacks else shapes,
    )
    return scope.recipe()


# Functions of an array, which do not look at its numbers.
_CHOICES = ("leaf.ndim != 1", "leaf.ndim > 1", "leaf.shape == ()", "leaf.size % 2 == 0")


@st.composite
def steps_with_choices(draw: st.DrawFn) -> Recipe:
    """Draw `params`, `grads` of one step, and `choose`, which gives a bool for an array."""
    scope = Scope()
    bind_steps(draw, scope, most=1)
    scope.bind("choose", f"lambda leaf: {draw(st.sampled_from(_CHOICES))}")
    return scope.recipe()


def _usable(option: str, texts: Sequence[str]) -> Sequence[str]:
    """Leave out schedules where the installed release takes numbers alone."""
    lacks = option == "weight_decay" and _DECAY_SCHEDULES.lacking()
    return [text for text in texts if not (lacks and text in _SCHEDULES)]


def bind_steps(
    draw: st.DrawFn,
    scope: Scope,
    *,
    positive: bool = False,
    most: int = 3,
    shapes: Sequence[str] = SHAPES,
) -> None:
    """Draw `params`, a tree of arrays of every rank, and `grads`, a list of gradients for it.

    Args:
        draw: the draw function.
        scope: where to write.
        positive: no parameter is negative; default `False`.
        most: number of steps at most; default 3.
        shapes: those of the arrays; default `SHAPES`.
    """
    tree = draw(st.sampled_from(_TREES))
    drawn = draw(st.lists(st.sampled_from(tuple(shapes)), min_size=3, max_size=3))
    for shape in drawn[: tree.replace("{{", "").count("{}")]:
        scope.note(f"rank:{shape.strip('(),').count(',') + (shape != '()')}")
    params = _filled(draw, tree, drawn)
    scope.bind("params", params.replace("-", "") if positive else params)
    steps = [_filled(draw, tree, drawn) for _ in range(draw(st.integers(1, most)))]
    scope.bind("grads", f"[{', '.join(steps)}]")


def _filled(draw: st.DrawFn, tree: str, shapes: Sequence[str]) -> str:
    """Write arrays into a tree; their numbers repeat a few, so that texts stay short."""
    texts = []
    for shape in shapes:
        row = draw(st.lists(st.sampled_from(_NUMBERS), min_size=1, max_size=5))
        texts.append(f"jnp.asarray(np.resize(np.float32([{', '.join(row)}]), {shape}))")
    return tree.format(*texts)
