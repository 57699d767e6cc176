"""The text of a library of somebody else's, for runs in a folder of its own."""

from __future__ import annotations

import inspect

from .user_nodes import TheirCounter

# A broken node: unflatten runs `__init__`, which writes into its argument.
COUNTER = f"""\
from typing import Any

import jax


{inspect.getsource(TheirCounter).replace(TheirCounter.__name__, "Counter")}"""
