"""Imports the tools of the extra `mutate`."""

from __future__ import annotations

import importlib
from typing import Any

from treelaws.core.errors import BadInput


def tool(name: str) -> Any:
    """Import a module that only the extra `mutate` installs.

    Raises:
        BadInput: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        cure = "pip install 'treelaws[mutate]'"
        raise BadInput(f"this needs {package}, which is not installed: {cure}") from None
