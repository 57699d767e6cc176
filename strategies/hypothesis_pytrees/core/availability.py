"""Checks which libraries are installed, which kinds their releases have, and which build."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import random
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
from hypothesis import strategies as st

from . import names
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
    failure = import_failure(module)
    return f"{module} cannot be imported: {failure}" if failure else ""


@functools.cache
def import_failure(module: str) -> str:
    """Return the error of the import of an installed library, or `""`.

    Args:
        module: its top-level module, for example `"equinox"`.
    """
    if importlib.util.find_spec(module) is None:
        return ""
    # Flax imports rich, which uses `random`; Hypothesis warns of this within a draw.
    state = random.getstate()
    try:
        importlib.import_module(module)
    except Exception as raised:
        return f"{type(raised).__name__}: {(str(raised).splitlines() or [''])[0]}"
    finally:
        random.setstate(state)
    return ""


_ARRAYS = tuple(
    f"jax.device_put(np.float32({numbers}))" for numbers in ("[1.0, 2.0]", "1.0", "[[1.0, 2.0]]")
)
_OTHERS = ("None", "'text'", "[1.0]", "{'a': 1.0}")
_outcomes: weakref.WeakKeyDictionary[Namespace, dict[Kind, Exception | None]] = (
    weakref.WeakKeyDictionary()
)


def _outcome(kind: Kind, namespace: Namespace) -> Exception | None:
    """Build the kind with trial children, once per namespace; return the error, or `None`."""
    known = _outcomes.setdefault(namespace, {})
    if kind not in known:
        errors = (_error(kind, child, namespace) for child in trial_children(kind))
        first = next(errors)
        failed = first is not None and all(error is not None for error in errors)
        known[kind] = first if failed else None
    return known[kind]


def trial_children(kind: Kind) -> tuple[str, ...]:
    """Return texts of children; a usable kind builds with one of them in each place.

    Args:
        kind: the kind; most need to build with `1.0`.
    """
    if kind.takes == "array":
        return _ARRAYS
    return ("1.0", *_ARRAYS, *_OTHERS) if kind.picky else ("1.0",)


def trial_child(kind: Kind) -> str:
    """Return the text of the first trial child that a kind accepts; of the first if it takes none.

    Args:
        kind: the kind.
    """
    children = trial_children(kind)
    fits = (child for child in children if _error(kind, child, default_namespace()) is None)
    return next(fits, children[0]) if kind.arity else children[0]


def _error(kind: Kind, child: str, namespace: Namespace) -> Exception | None:
    try:
        with warnings.catch_warnings():
            # Deprecated kinds are usable, also if warnings are errors.
            warnings.simplefilter("ignore")
            _try(_recipe(kind, child), namespace)
    except Exception as error:
        # The frames refer to the namespace, so that its entry would never be freed.
        return error.with_traceback(None)
    return None


def example(kind: Kind) -> Any:
    """Build a kind with the first trial children that it accepts.

    Args:
        kind: the kind.

    Raises:
        Exception: the error of the last trial child, if the kind accepts none.
    """
    *children, last = trial_children(kind)
    for child in children:
        # A constructor may reject a child with any error.
        with contextlib.suppress(Exception):
            return _recipe(kind, child).build()
    return _recipe(kind, last).build()


def _recipe(kind: Kind, child: str) -> Recipe:
    return Recipe(kind.definitions, (), kind.text([child] * kind.arity))


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


@functools.cache
def lacking(kind: Kind) -> str:
    """Return why the installed releases do not have a kind, or `""`.

    The libraries that its text uses have to be installed, in releases that document what it uses.
    """
    texts = (kind.template, *kind.definitions)
    absent = next((why for one in names.libraries_in(texts) if (why := absence(one))), "")
    return absent or names.lacking(texts, kind.needs)


def available(kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    """Return the kinds that the installed releases document; `lacking` says why not the others.

    Args:
        kinds: the kinds, for example `MODULES`; none is built.
    """
    return tuple(kind for kind in kinds if not lacking(kind))


def usable(kinds: Sequence[Kind], namespace: Namespace | None = None) -> tuple[Kind, ...]:
    """Return the available kinds that build with trial children.

    A kind that is available and does not build is a bug, which the laws `documented_..._build`
    report. It is left out here so that one bug is one report.

    Args:
        kinds: kinds to build, for example `MODULES`; each is built once per namespace.
        namespace: the namespace to build in; default that of the installed libraries.
    """
    target = namespace or default_namespace()
    return tuple(kind for kind in available(kinds) if _outcome(kind, target) is None)


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
    """Return the available kinds that do not build, and the first exception of each.

    Args:
        kinds: kinds to build, for example `MODULES`; each is built once per namespace.
        namespace: the namespace to build in; default that of the installed libraries.
    """
    target = namespace or default_namespace()
    outcomes = {kind: _outcome(kind, target) for kind in available(kinds)}
    return {kind: error for kind, error in outcomes.items() if error is not None}
