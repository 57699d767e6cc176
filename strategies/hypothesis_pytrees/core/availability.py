"""Which libraries are here, and which kinds their releases take; the others are dropped."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import warnings
import weakref
from collections.abc import Callable, Sequence

import jax
from hypothesis import strategies as st

from .kinds import Kind
from .recipe import Namespace, Recipe, default_namespace


@functools.cache
def absence(module: str) -> str:
    """Say why a library cannot be used here, or give `""`.

    Args:
        module: its top-level module, for example `"equinox"`.
    """
    if importlib.util.find_spec(module) is None:
        return f"{module} is not installed"
    try:
        importlib.import_module(module)
    except Exception as raised:
        reason = (str(raised).splitlines() or [""])[0]
        return f"{module} does not import beside this jax: {type(raised).__name__}: {reason}"
    return ""


_outcomes: weakref.WeakKeyDictionary[Namespace, dict[Kind, Exception | None]] = (
    weakref.WeakKeyDictionary()
)


def _outcome(kind: Kind, namespace: Namespace) -> Exception | None:
    """Build the kind with the child `1.0`, once a namespace, and give what was raised."""
    known = _outcomes.setdefault(namespace, {})
    if kind not in known:
        recipe = Recipe(kind.definitions, (), kind.text(["1.0"] * kind.arity))
        try:
            with warnings.catch_warnings():
                # What is deprecated is usable, also where warnings are errors.
                warnings.simplefilter("ignore")
                _try(recipe, namespace)
        except Exception as error:
            # The frames hold the namespace, which would keep this table's key alive for ever.
            known[kind] = error.with_traceback(None)
        else:
            known[kind] = None
    return known[kind]


def _try(recipe: Recipe, namespace: Namespace) -> None:
    """Build it under a trace, where nothing is compiled; else plainly."""
    for text in recipe.definitions:
        # Outside the trace: a class lives on, and must hold no tracer.
        namespace.define(text)
    # What fails under the trace alone is no refusal; what fails in both is raised by the second.
    try:
        jax.make_jaxpr(lambda: (recipe.build(namespace), None)[1])()
    except Exception:
        recipe.build(namespace)


def usable(kinds: Sequence[Kind], namespace: Namespace | None = None) -> tuple[Kind, ...]:
    """Give the kinds that build with the child `1.0`; `refusals` tells why the others do not.

    Args:
        kinds: what to try, for example `MODULES`; each is tried once a namespace.
        namespace: which libraries to try with; by default the installed ones.
    """
    target = namespace or default_namespace()
    return tuple(kind for kind in kinds if _outcome(kind, target) is None)


def probe_first(
    trial: Callable[[], object], strategy: st.SearchStrategy[Recipe]
) -> st.SearchStrategy[Recipe]:
    """Give the strategy, with the trial made before its first draw and outside of it.

    Libraries are imported neither where a strategy is made, which may be for nothing, nor inside
    of a draw, which Hypothesis times.

    Args:
        trial: asks what the installed libraries take, and remembers it.
        strategy: what is drawn.
    """
    return st.deferred(lambda: (trial(), strategy)[1])


def refusals(kinds: Sequence[Kind], namespace: Namespace | None = None) -> dict[Kind, Exception]:
    """Give the kinds that do not build with the child `1.0`, and the exception of each.

    Args:
        kinds: what to try, for example `MODULES`; each is tried once a namespace.
        namespace: which libraries to try with; by default the installed ones.
    """
    target = namespace or default_namespace()
    outcomes = {kind: _outcome(kind, target) for kind in kinds}
    return {kind: error for kind, error in outcomes.items() if error is not None}
