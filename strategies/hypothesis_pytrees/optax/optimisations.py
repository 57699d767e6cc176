"""One step of an optimiser: a transformation, the parameters, their gradients."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

import jax.tree_util as jtu
from hypothesis import reject, strategies as st

from hypothesis_pytrees.core.availability import probe_first
from hypothesis_pytrees.core.kinds import Kind
from hypothesis_pytrees.core.recipe import Recipe, Scope

from .further_options import EVERYWHERE, array_options, further_options, mask_options
from .injected_calls import injected_call
from .params import GRADIENTS, MATRICES, PARAMETERS, draw_parameters, sources
from .roots import draw_numbers
from .transformations import OPTIONS, Transformation, optional, simple, with_argument

# Gradients of a precision that parameters need not have, by what they are called in features.
PRECISIONS = {
    "grads:float32": f"jtu.tree_map(lambda leaf: leaf.astype(jnp.float32), {GRADIENTS})",
    "grads:bfloat16": f"jtu.tree_map(lambda leaf: leaf.astype(jnp.bfloat16), {GRADIENTS})",
}
_ONE_DIMENSION = "jtu.tree_map(lambda leaf: leaf.ndim == 1, tree)"
_PARTS = "{'on': $, 'off': optax.set_to_zero()}"
_LABELS = "jtu.tree_map(lambda leaf: 'on' if leaf.ndim == 1 else 'off', tree)"
# As documented, a mask leaves extra arguments whole without this, also a gradient among them.
_MASKED_TOO = ", mask_compatible_extra_args=True"
# What wraps any transformation, `$` for it and `&` for further arguments of a mask, by what it is
# called in features.
WRAPPERS: tuple[tuple[str, str], ...] = (
    ("chain", "optax.chain($)"),
    ("named_chain", "optax.named_chain(('b', optax.identity()), ('a', $))"),
    ("with_extra_args_support", "optax.with_extra_args_support($)"),
    ("masked-all", "optax.masked($, True&)"),
    ("masked-none", "optax.masked($, False&)"),
    ("masked", f"optax.masked($, lambda tree: {_ONE_DIMENSION}&)"),
    (
        "multi_transform",
        f"optax.multi_transform({_PARTS}, lambda tree: {_LABELS}&)",
    ),
    ("apply_if_finite", "optax.apply_if_finite($, 2)"),
    ("conditionally_mask", "optax.conditionally_mask($, lambda step, **extra: step < 1)"),
    ("conditionally_transform", "optax.conditionally_transform($, lambda step, **extra: step < 1)"),
    ("MultiSteps", "optax.MultiSteps($, 2)"),
)

# Inputs documented for a transformation instead of the parameters and the gradients.
_PARAMS = {"lookahead": "optax.LookaheadParams.init_synced($params)"}
_BATCHED = "jtu.tree_map(lambda leaf: leaf[None], grads)"
_GRADS = {"contrib.differentially_private_aggregate": _BATCHED}
# "None implies that all parameters are 2D matrices". A tree of them is a known departure.
_BARE_MATRICES = {"contrib.scale_by_muon"}


@functools.cache
def optimisations(
    made: Transformation,
    *,
    options: tuple[str, ...] = tuple(OPTIONS),
    plain: bool = True,
    precisions: bool = False,
    models: bool = True,
    leaves: Sequence[Kind] = PARAMETERS,
    kinds: tuple[Kind, ...] | None = None,
    wrappers: tuple[tuple[str, str], ...] = (),
    listed: bool = False,
    filtered: bool = False,
    some: bool = False,
    further: bool = False,
    masks: bool = False,
    injected: bool = False,
    arrays: bool = False,
) -> st.SearchStrategy[Recipe]:
    """Draw `tx`, `params`, `grads` and `extra`, the keyword arguments that `tx.update` asks for.

    Args:
        made: the transformation.
        options: parameters of it that may be set; default all of `OPTIONS`.
        plain: also draw the call without an option; default `True`.
        precisions: also draw gradients of a precision that is not that of their parameters;
            default `False`.
        models: also draw filtered Modules and NNX states; default `True`.
        leaves: the kinds of the arrays; default `PARAMETERS`.
        kinds: the kinds of plain nodes; default containers and registered nodes.
        wrappers: texts around the transformation as in `WRAPPERS`, each with its feature; default
            none.
        listed: also bind `listed_params`, `listed_grads` and `listed_extra`, where a list of the
            leaves stands for the tree; default `False`.
        filtered: put `None` for leaves of `params` and `grads` or for none of them, and bind the
            tree with every leaf to `whole`, which holds one at least; default `False`.
        some: the parameters hold an array at least; default `False`.
        further: also set some of the numbers, switches and masks of the transformation; default
            `False`.
        masks: also bind `masked`, the transformation with each form of a mask that selects every
            parameter; default `False`.
        injected: also bind `injected`, the transformation made by `inject_hyperparams` of its
            factory, with the same arguments; default `False`.
        arrays: give one of its numbers as an array, if its annotation allows it; default `False`.

    Raises:
        ValueError: `plain` is false and the transformation has none of the options.
    """
    calls = [simple(made)] * plain + optional(made, options)
    if not calls:
        raise ValueError(f"{made.name} has none of the options {', '.join(options)}")
    some = some or filtered
    if made.name in _BARE_MATRICES:
        models, kinds, leaves = False, (), MATRICES
    sources(models=models)
    pool = tuple(leaves)
    grads = tuple(PRECISIONS) * precisions
    return _optimisations(
        made,
        tuple(calls),
        grads,
        models,
        pool,
        kinds,
        wrappers,
        listed,
        filtered,
        some,
        further,
        masks,
        injected,
        arrays,
    )


@st.composite
def _optimisations(
    draw: st.DrawFn,
    made: Transformation,
    calls: tuple[Recipe, ...],
    precisions: tuple[str, ...],
    models: bool,
    leaves: tuple[Kind, ...],
    kinds: tuple[Kind, ...] | None,
    wrappers: tuple[tuple[str, str], ...],
    listed: bool,
    filtered: bool,
    some: bool,
    further: bool,
    masks: bool,
    injected: bool,
    arrays: bool,
) -> Recipe:
    scope = Scope()
    call = calls[draw(st.integers(0, len(calls) - 1))]
    wrapper = wrappers[draw(st.integers(0, len(wrappers) - 1))] if wrappers else None
    precision = (None, *precisions)[draw(st.integers(0, len(precisions)))]
    draw_parameters(
        draw,
        scope,
        leaves=leaves,
        kinds=kinds,
        models=models,
        some=some,
        # Whether a mask of a tree that can be called is called is asked by the laws of masks.
        callable_root=not wrappers,
    )
    if filtered:
        scope.bind("whole", "params")
        _filter(draw, scope)
    if listed:
        scope.bind("listed_params", "jtu.tree_leaves(params)")
    gradients = PRECISIONS[precision] if precision else GRADIENTS
    for prefix in ("", "listed_") if listed else ("",):
        _bind_arguments(scope, made, gradients, prefix)
    if precision:
        scope.note(precision)
    text = scope.include(call)
    for name, values in further_options(made).items() if further else ():
        if draw(st.booleans()):
            text = with_argument(text, name, draw(st.sampled_from(values)))
            scope.note(f"option:{name}")
    if arrays:
        name, values = draw(st.sampled_from(tuple(array_options(made).items())))
        text = with_argument(text, name, draw(st.sampled_from(values)))
        scope.note(f"array:{name}")
    if wrapper:
        name, template = wrapper
        scope.note(f"wrapper:{name}")
        masked = _MASKED_TOO if "'grad'" in made.extra else ""
        if (
            masked
            and "&" in template
            and jtu.treedef_is_leaf(jtu.tree_structure(scope.value("params")))
        ):
            # The loss, a leaf, would be masked like the parameter.
            reject()
        text = template.replace("&", masked).replace("$", text)
    scope.bind("tx", text)
    if injected:
        scope.bind("injected", injected_call(scope, text))
    if masks:
        name = draw(st.sampled_from(mask_options(made)))
        scope.note(f"option:{name}")
        calls_of_masks = (with_argument(text, name, form) for form in EVERYWHERE)
        scope.bind("masked", f"[{', '.join(calls_of_masks)}]")
    return scope.recipe()


def _filter(draw: st.DrawFn, scope: Scope) -> None:
    """Put `None` for the last leaf of `params` and for others that are drawn, or for no leaf."""
    count = len(jtu.tree_leaves(scope.value("params")))
    every = draw(st.booleans())
    kept = [*(every or draw(st.booleans()) for _ in range(count - 1)), every]
    scope.bind("kept", f"jtu.tree_unflatten(jtu.tree_structure(params), {kept})")
    choice = "lambda keep, leaf: leaf if keep else None"
    scope.rebind("params", f"jtu.tree_map({choice}, kept, params)")
    if not every:
        scope.note("grads:None", "params:some-kept" if any(kept) else "params:none-kept")


def _bind_arguments(scope: Scope, made: Transformation, gradients: str, prefix: str) -> None:
    def written(text: str) -> str:
        named = text.replace("params", f"{prefix}params") if prefix else text
        return re.sub(r"(?<!')\bgrads\b", f"{prefix}grads", named)

    scope.bind(f"{prefix}grads", written(gradients))
    if made.name in _GRADS:
        scope.rebind(f"{prefix}grads", written(_GRADS[made.name]))
    if made.name in _PARAMS:
        # Its `whole` parameters are of no use: it is left out of the law that asks for them.
        scope.rebind(f"{prefix}params", _PARAMS[made.name].replace("$", prefix))
    scope.bind(f"{prefix}extra", written(made.extra))


def updated(*, alike: bool = False) -> st.SearchStrategy[Recipe]:
    """Draw `params`, and `updates` of their structure and shapes.

    Args:
        alike: the updates have the dtypes of the parameters; default `False`.
    """
    return probe_first(sources, _updated(alike))


@st.composite
def _updated(draw: st.DrawFn, alike: bool) -> Recipe:
    scope = Scope()
    draw_numbers(draw, scope, leaves=PARAMETERS)
    texts = (GRADIENTS, *PRECISIONS.values())
    index = 0 if alike else draw(st.integers(0, len(texts) - 1))
    scope.note(*list(PRECISIONS)[index - 1 : index] if index else ())
    scope.bind("updates", texts[index])
    return scope.recipe()
