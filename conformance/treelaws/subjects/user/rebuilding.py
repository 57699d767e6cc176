"""Writes an existing instance as recipe text, so that it can be rebuilt and reported."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, reject, settings, strategies as st
from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Recipe
from treelaws.core.mismatch import Mismatch
from treelaws.equality import same

from . import source_text

# Draws in place of one that a constructor rejects, and draws of a new strategy.
_REDRAWS, _TRIALS = 4, 20
_PLAIN = (type(None), bool, int, str, bytes, complex)


class Unwritable(ValueError):
    """No recipe text rebuilds an instance."""


@st.composite
def written(draw: st.DrawFn, strategy: st.SearchStrategy[Any]) -> Recipe:
    """Draw a recipe from a strategy of instances or recipes; again if a constructor rejects it."""
    for _ in range(_REDRAWS):
        recipe, _ = _drawn(draw, strategy)
        if recipe is not None:
            return recipe
    return reject()


def first_of(strategy: st.SearchStrategy[Any]) -> Any:
    """Return an instance of a strategy of instances or recipes.

    Raises:
        Exception: the first error, if each of the first draws raises one.
    """
    errors: list[Exception] = []
    instances: list[Any] = []

    @settings(max_examples=_TRIALS, database=None, derandomize=True, deadline=None)
    @given(data=st.data())
    def attempt(data: st.DataObject) -> None:
        recipe, error = _drawn(data.draw, strategy)
        errors.extend(filter(None, [error]))
        if recipe is not None and not instances:
            instances.append(recipe.build())

    attempt()
    if not instances:
        raise errors[0]
    return instances[0]


def _drawn(draw: Any, strategy: st.SearchStrategy[Any]) -> tuple[Recipe | None, Exception | None]:
    try:
        drawn = draw(strategy)
        recipe = drawn if isinstance(drawn, Recipe) else recipe_of(drawn)
        recipe.build()
    except HypothesisException:
        raise
    except Exception as raised:
        # A constructor may reject its arguments with any error.
        return None, raised
    return recipe, None


def recipe_of(instance: Any) -> Recipe:
    """Return a recipe that rebuilds an instance: by its constructor, or from a pickle.

    Raises:
        Unwritable: neither restores structure and leaves.
    """
    for write in (_by_constructor, _by_pickle):
        recipe = write(instance)
        if recipe is not None and _is_like(recipe, instance):
            return recipe
    kind = type(instance).__qualname__
    raise Unwritable(f"a {kind} cannot be rebuilt from its fields or from a pickle")


def _is_like(recipe: Recipe, instance: Any) -> bool:
    try:
        built = recipe.build()
        same(built, instance)
    except Mismatch:
        return False
    except Exception:
        # A constructor may reject the current values of the fields with any error.
        return False
    return type(built) is type(instance)


def _by_pickle(instance: Any) -> Recipe | None:
    try:
        return Recipe(expression=f"pickle.loads({pickle.dumps(instance)!r})")
    except Exception:
        # Pickling may raise any error.
        return None


def _by_constructor(instance: Any) -> Recipe | None:
    texts: dict[str, None] = {}
    expression = _text(instance, texts)
    return None if expression is None else Recipe(tuple(texts), (), expression)


def _text(value: Any, texts: dict[str, None]) -> str | None:
    """Return the text of a value; the definitions that it needs are added to `texts`."""
    if isinstance(value, _PLAIN) and type(value) in _PLAIN:
        return repr(value)
    if type(value) is float:
        return repr(value) if np.isfinite(value) else f"float('{value}')"
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        return _array(value)
    if type(value) in (list, tuple, dict):
        return _container(value, texts)
    return _instance(value, texts)


def _array(value: Any) -> str | None:
    if isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
        return None
    if isinstance(value, jax.Array) and value.weak_type:
        return f"jnp.asarray({np.asarray(value).item()!r})" if not value.ndim else None
    numpy = np.asarray(value)
    if numpy.dtype.hasobject:
        return None
    numbers = repr(numpy.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    dtype = f"jnp.{numpy.dtype}" if numpy.dtype.kind == "V" else repr(str(numpy.dtype))
    text = f"np.array({numbers}, {dtype}).reshape({numpy.shape})"
    if isinstance(value, np.generic):
        return f"{text}[()]"
    return f"jax.device_put({text})" if isinstance(value, jax.Array) else text


def _container(value: Any, texts: dict[str, None]) -> str | None:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    written = [(key, _text(item, texts)) for key, item in items]
    if any(text is None for _, text in written):
        return None
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {text}' for key, text in written)}}}"
    inner = ", ".join(str(text) for _, text in written)
    if isinstance(value, list):
        return f"[{inner}]"
    return f"({inner},)" if value else "()"


def _instance(value: Any, texts: dict[str, None]) -> str | None:
    fields = _fields(value)
    if fields is None:
        return None
    arguments = {name: _text(field, texts) for name, field in fields.items()}
    if any(text is None for text in arguments.values()):
        return None
    text, called = source_text.define(type(value))
    texts[text] = None
    return f"{called}({', '.join(f'{name}={one}' for name, one in arguments.items())})"


def _fields(value: Any) -> Mapping[str, Any] | None:
    if dataclasses.is_dataclass(value):
        fields = (one.name for one in dataclasses.fields(value) if one.init)
        return {name: getattr(value, name) for name in fields if hasattr(value, name)}
    if isinstance(value, tuple) and "_fields" in vars(type(value)):
        return dict(zip(vars(type(value))["_fields"], value, strict=True))
    return None
