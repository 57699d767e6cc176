"""Says how to run a law on a user's subject again."""

from __future__ import annotations

import types
from typing import Any

from . import source_text

# `$law` stands for the id of the law.
_COMMAND = "pytest --pyargs treelaws --laws $law --subject {}"


def of_class(found: type, instances: Any, name: str) -> str:
    """Return how to run a law on a class again; "" if its name says it.

    Args:
        found: the class.
        instances: the argument of that name of `treelaws.check`.
        name: the name of the subject.
    """
    if instances is None:
        return of_object(found, name)
    if isinstance(instances, (type, types.FunctionType)):
        reference = source_text.reference(instances)
        if ":" in reference and "<" not in reference:
            return _COMMAND.format(reference)
    return f"treelaws.check({found.__qualname__}, instances=..., laws='$law'), same instances"


def of_object(found: Any, name: str) -> str:
    """Return how to run a law on a class or a function again; "" if its name says it."""
    reference = source_text.reference(found)
    if ":" not in reference:
        return f"treelaws.check({reference}, laws='$law')"
    return "" if reference == name else _COMMAND.format(reference)
