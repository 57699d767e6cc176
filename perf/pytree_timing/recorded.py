"""Exact figures that were recorded before, for the same releases, and what differs from them."""

from __future__ import annotations

import dataclasses
import json
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from treelaws.compat import toml

from .figures import Figures
from .operation import Case

FOLDER = Path(__file__).resolve().parents[1] / "recorded"
LIBRARIES = ("jax", "jaxlib", "equinox", "flax", "optax", "numpy")
# Finalisers and caches add an event or two to thousands where something is compiled.
_PLAY = 0.005


class BadRecord(ValueError):
    """A file of recorded figures cannot be read; the text says which and why."""


def versions() -> dict[str, str]:
    """Return the releases of what is installed, by name."""
    found = {name: _version(name) for name in LIBRARIES}
    return {"python": platform.python_version(), **{k: v for k, v in found.items() if v}}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def path_of(folder: Path, releases: Mapping[str, str]) -> Path:
    """Return the file for a minor version of Python and a release of JAX."""
    python = ".".join(releases["python"].split(".")[:2])
    return folder / f"python{python}-jax{releases['jax']}.toml"


def read(folder: Path = FOLDER) -> Mapping[str, Figures]:
    """Return what is recorded for the installed releases, by case; nothing where others were.

    Raises:
        BadRecord: the file is not such a record.
    """
    here = versions()
    path = path_of(folder, here)
    if not path.exists():
        return {}
    try:
        content = toml.loads(path.read_text(encoding="utf-8"))
        found = {
            name: Figures(**({"blocks": None} | counts))
            for name, counts in content.get("figures", {}).items()
        }
    except (OSError, ValueError, TypeError) as raised:
        raise BadRecord(f"{path}: no record of figures: {raised}") from raised
    recorded = content.get("versions", {})
    same = {name for name in LIBRARIES if recorded.get(name) == here.get(name)}
    return found if same == set(LIBRARIES) else {}


def write(figures: Mapping[str, Figures], folder: Path = FOLDER) -> Path:
    """Record figures for the installed releases and give the file.

    Args:
        figures: what was counted, by case.
        folder: where the file is made.
    """
    here = versions()
    lines = ["# Written by `pytest perf/ --record-figures`.", "", "[versions]"]
    lines += [f"{name} = {json.dumps(release)}" for name, release in here.items()]
    lines += ["", "[figures]"]
    lines += [f"{json.dumps(name)} = {_inline(found)}" for name, found in sorted(figures.items())]
    path = path_of(folder, here)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _inline(found: Figures) -> str:
    pairs = {name: count for name, count in dataclasses.asdict(found).items() if count is not None}
    return f"{{ {', '.join(f'{name} = {count}' for name, count in pairs.items())} }}"


def differences(case: Case, found: Figures, before: Figures) -> dict[str, tuple[Any, Any]]:
    """Return the figures that differ from what was recorded, each with the recorded one first."""
    pairs = zip(dataclasses.asdict(before).items(), dataclasses.asdict(found).values(), strict=True)
    differ = {name: (old, new) for (name, old), new in pairs if old != new}
    old, new = differ.get("events", (0, 0))
    if not case.operation.steady and abs(new - old) <= _PLAY * old:
        differ.pop("events", None)
    return differ
