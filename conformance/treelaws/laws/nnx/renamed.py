"""Flax NNX: deprecated names, and the names that their warnings give instead."""

from __future__ import annotations

import warnings

from hypothesis_pytrees.nnx.calls.renamed import renamed_calls
from treelaws.core.law import Topic
from treelaws.equality import equal

from ._model import same_graph

law = Topic("nnx.renamed", "Flax NNX: deprecated names", family="nnx")
_STATES = "https://github.com/google/flax/blob/v0.12.8/flax/nnx/statelib.py#L308-L440"


@law(
    "a deprecated method does the same as the function or method that its warning names",
    source=_STATES,
    level="should",
    case=renamed_calls(),
)
def a_deprecated_name_does_what_the_new_one_does(lib, case):
    (kind, got), (wanted_kind, wanted) = _ended(case.old), _ended(case.rebuild().new)
    equal(kind, wanted_kind)
    same_graph(got, wanted)


def _ended(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return "returned", call()
        except Exception as raised:
            return type(raised).__name__, None
