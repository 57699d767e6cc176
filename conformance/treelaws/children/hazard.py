"""Hazards: why the laws of a user's class run in child processes."""

from __future__ import annotations

import dataclasses

from hypothesis_pytrees import Kind


@dataclasses.dataclass(frozen=True)
class Hazard:
    """What a class does to the process that flattens its instances.

    Args:
        told: what it does, such as `"flatten ended the process with exit code 3"`.
        found: `package.module:name` of what the subject was created from; empty if a fresh
            interpreter cannot import it.
        instances: the same of the function that makes its instances; empty without one.
        name: the name of the subject.
        importable: whether a child process can create the subject from these.
        text: the definition of the class or the function, and the expression that names it.
        kinds: how its instances are written.
    """

    told: str
    found: str = ""
    instances: str = ""
    name: str = ""
    importable: bool = False
    text: tuple[str, str] = ("", "")
    kinds: tuple[Kind, ...] = ()
