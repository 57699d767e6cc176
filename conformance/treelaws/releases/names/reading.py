"""Prints which public names the installed release has; it runs without the suite.

python reading.py NAMES.json
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import warnings
from pathlib import Path
from typing import Any


def has(name: str) -> bool:
    """Return whether the installed release has a name.

    Args:
        name: such as `jax.tree.map`; `f(p)` is the parameter `p` of a function, and `f(p: A|B)` one
            whose annotation names `A` or `B`.
    """
    dotted, _, parameter = name.rstrip(")").partition("(")
    found = _found(dotted)
    if found is None or not parameter:
        return found is not None
    parameter, _, types = parameter.partition(": ")
    held = _parameters(found).get(parameter)
    return held is not None and any(one in str(held.annotation) for one in types.split("|"))


def _found(dotted: str) -> Any:
    root, *parts = dotted.split(".")
    held, path = importlib.import_module(root), root
    for part in parts:
        path = f"{path}.{part}"
        if not hasattr(held, part):
            # A library may load a submodule only if it is imported by name.
            try:
                importlib.import_module(path)
            except ImportError:
                return None
        held = getattr(held, part, None)
    return held


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps([name for name in asked if has(name)]))
