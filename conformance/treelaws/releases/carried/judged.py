"""Judgements of what loads wrong or ends the process: whose fault it is, and why."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treelaws.compat import toml

from .cases import DIED, WRONG

NAME = "judged.toml"


def needs_judgement(row: Mapping[str, Any]) -> bool:
    """Return whether somebody must say what an outcome means: an error says so itself."""
    return row["outcome"] in (WRONG, DIED)


def _is_about(one: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    laws = [one["law"]] if isinstance(one["law"], str) else one["law"]
    about = any(fnmatch.fnmatchcase(row["law"], law) for law in laws)
    return about and one["says"] in row["told"]


def judgement(package: str, row: Mapping[str, Any], folder: Path) -> str:
    """Return the judgement of an outcome; empty without one.

    Args:
        package: the package of the results.
        row: an outcome, as the results of the package have it.
        folder: folder of the file of judgements.
    """
    path = folder / NAME
    held = toml.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for one in held.get("judged", ()):
        if fnmatch.fnmatchcase(package, one["package"]) and _is_about(one, row):
            return " ".join(one["verdict"].split())
    return ""
