"""The errors that Equinox raises while a compiled program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.tree_util as jtu


def raises_with(text: str, call: Callable[[], Any]) -> bool:
    """Return whether a call, or waiting for its arrays, raises RuntimeError with a text."""
    try:
        jax.block_until_ready(jtu.tree_leaves(call()))
    except RuntimeError as raised:
        return text in str(raised)
    return False


def error_of(call: Callable[[], Any]) -> str:
    """Return the text of the error that a call, or waiting for its arrays, raises; else ""."""
    try:
        jax.block_until_ready(jtu.tree_leaves(call()))
    except Exception as raised:
        return f"{type(raised).__name__}: {raised}"
    return ""
