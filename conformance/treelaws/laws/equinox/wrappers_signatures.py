"""Equinox: functions of any signature under each transformation."""

from __future__ import annotations

from hypothesis_pytrees.core.signatures_wrapped import WRAPPED
from hypothesis_pytrees.equinox.signature_ways import CALLS, COUNTED
from hypothesis_pytrees.trees.calls.signed_calls import signed_calls
from treelaws.equality import same

from .wrappers import law
from .wrappers_calls import each_way_makes_the_call

_DOCS = "https://docs.kidger.site/equinox/api/transformations/"
_NAMES = frozenset(
    (
        *("filter_jit", "filter_grad", "filter_value_and_grad", "filter_vmap"),
        *("filter_checkpoint", "filter_closure_convert", "filter_eval_shape", "filter_make_jaxpr"),
    )
)

# `filter_eval_shape(fun, *args, **kwargs)` takes this name for itself, as documented.
_TAKEN = {"way:eval-shape", "names:f", "signature:second-by-name"}


@law(
    "a function of any signature gives, under each transformation, what a plain call or its "
    "derivative gives",
    source=_DOCS,
    level="should",
    needs=_NAMES,
    case=signed_calls(CALLS).filter(lambda recipe: not recipe.features >= _TAKEN),
    parents=[each_way_makes_the_call],
)
def each_transform_takes_any_signature(lib, case):
    same(case.run(), case.wanted())


@law(
    "a function made by `functools.wraps` or with `__signature__`, whatever signature it shows, "
    "gives under each transformation what a plain call or its derivative gives",
    source=_DOCS,
    level="observed",
    needs=_NAMES | {"debug.assert_max_traces"},
    case=signed_calls((*CALLS, COUNTED), WRAPPED),
    parents=[each_transform_takes_any_signature],
)
def each_transform_calls_the_wrapper(lib, case):
    same(case.run(), case.wanted())
