"""The errors that Equinox raises while a compiled program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.tree_util as jtu


def raises_with(text: str, call: Callable[[], Any], kind: type[Exception] = RuntimeError) -> bool:
    """Return whether a call, or waiting for its arrays, raises an error with a text.

    Args:
        text: part of the message.
        call: takes no arguments.
        kind: type of the error; default RuntimeError.
    """
    try:
        jax.block_until_ready(jtu.tree_leaves(call()))
    except kind as raised:
        return text in str(raised)
    return False
