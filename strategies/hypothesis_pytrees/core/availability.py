"""Checks which libraries are installed, and which kinds their releases support."""

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
    """Return why a library cannot be used here, or `""`.

    Args:
        module: its top-level module, for example `"equinox"`.
    """
    if importlib.util.find_spec(module) is None:
        return f"{module} is not installed"
    try:
        importlib.import_module(module)
    except Exception as raised:
        reason = (str(raised).splitlines() or [""])[0]
        return f"{module} does not import with this jax: {type(raised).__name__}: {reason}"
    return ""


_outcomes: weakref.WeakKeyDictionary[Namespace, dict[Kind, Exception | None]] = (
    weakref.WeakKeyDictionary()
)


def _outcome(kind: Kind, namespace: Namespace) -> Exception | None:
    """Build the kind with children `1.0`, once per namespace; return the error, or `None`."""
    known = _outcomes.setdefault(namespace, {})
    if kind not in known:
        recipe = Recipe(kind.definitions, (), kind.text(["1.0"] * kind.arity))
        try:
            with warnings.catch_warnings():
                # Deprecated kinds are usable, also if warnings are errors.
                warnings.simplefilter("ignore")
                _try(recipe, namespace)
        except Exception as error:
            # The frames refer to the namespace, so that its entry would never be freed.
            known[kind] = error.with_traceback(None)
        else:
            known[kind] = None
    return known[kind]


def _try(recipe: Recipe, namespace: Namespace) -> None:
    """Build it under a trace, which compiles nothing; if that fails, build it normally."""
    for text in recipe.definitions:
        # Outside of the trace: a class outlives it, and must not hold a tracer.
        namespace.define(text)
    # A failure under the trace alone does not count; the second build raises the error.
    try:
        jax.make_jaxpr(lambda: (recipe.build(namespace), None)[1])()
    except Exception:
        recipe.build(namespace)


def usable(kinds: Sequence[Kind], namespace: Namespace | None = None) -> tuple[Kind, ...]:
    """Return the kinds that build with children `1.0`; `refusals` says why others do not.

    Args:
        kinds: kinds to build, for example `MODULES`; each is built once per namespace.
        namespace: the namespace to build in; default that of the installed libraries.
    """
    target = namespace or default_namespace()
    return tuple(kind for kind in kinds if _outcome(kind, target) is None)


def probe_first(
    trial: Callable[[], object], strategy: st.SearchStrategy[Recipe]
) -> st.SearchStrategy[Recipe]:
    """Return the strategy, with `trial` called right before its first draw.

    So libraries are not imported when a strategy is created, which may never be used, or during a
    draw, which Hypothesis times.

    Args:
        trial: function that probes the installed libraries and caches the result.
        strategy: the strategy.
    """
    return st.deferred(lambda: (trial(), strategy)[1])


def refusals(kinds: Sequence[Kind], namespace: Namespace | None = None) -> dict[Kind, Exception]:
    """Return the kinds that do not build with children `1.0`, and the exception of each.

    Args:
        kinds: kinds to build, for example `MODULES`; each is built once per namespace.
        namespace: the namespace to build in; default that of the installed libraries.
    """
    target = namespace or default_namespace()
    outcomes = {kind: _outcome(kind, target) for kind in kinds}
    return {kind: error for kind, error in outcomes.items() if error is not None}
