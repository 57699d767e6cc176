"""Reads a file of known departures and the files that it extends, each once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from treelaws.compat import toml

from .departure import BadKnown, Departure
from .entries import EXTENDS, flat_departures
from .finding import Finding
from .finding_entries import finding, is_finding


class Contents(NamedTuple):
    """The entries of a file.

    Args:
        departures: flat ones, then those of its findings.
        findings: its findings.
    """

    departures: list[Departure]
    findings: list[Finding]


def read(path: Path) -> list[Departure]:
    """Read a file of known departures; the entries of files that it extends come first.

    Raises:
        BadKnown: a file cannot be read, is not TOML or extends itself; an entry lacks or
            misspells a key, or two files contain it with different content.
    """
    return merged(one.departures for one in chain(path).values())


def chain(path: Path) -> dict[Path, Contents]:
    """Return the entries of a file and of the files that it extends, by resolved path.

    Raises:
        BadKnown: as `read`, except for entries in two files.
    """
    found: dict[Path, Contents] = {}
    _follow(path, _parsed(path), (), found)
    return found


def merged(files: Iterable[Iterable[Departure]]) -> list[Departure]:
    """Merge the departures of files; a departure in two files counts once.

    Raises:
        BadKnown: two files contain an entry with different content.
    """
    kept: dict[str, Departure] = {}
    for found in (one for file in files for one in file):
        other = kept.setdefault(found.name, found)
        if dataclasses.replace(other, file=found.file) != found:
            cure = "rename or delete one of them"
            raise BadKnown(
                f"{found.file}: {found.header} is also in {other.file}, with other content; {cure}"
            )
    return list(kept.values())


def _follow(
    path: Path,
    tables: Mapping[str, Any],
    way: tuple[Path, ...],
    found: dict[Path, Contents],
) -> None:
    way = (*way, path)
    for text in _extended(path, tables.get(EXTENDS, [])):
        other = path.parent / text
        places = [one.resolve() for one in way]
        if other.resolve() in places:
            # Two spellings of a path may be one file.
            ring = [str(one) for one in way[places.index(other.resolve()) :]]
            told = " -> ".join([*ring, ring[0]])
            raise BadKnown(
                f"{path}: extends {text!r}, which leads back to it: {told}; delete one of these"
            )
        if other.resolve() not in found:
            _follow(other, _parsed(other, f"{path}: extends {text!r}: "), way, found)
    own = {name: table for name, table in tables.items() if name != EXTENDS}
    flat = {name: table for name, table in own.items() if not is_finding(table)}
    findings = [finding(path, name, table) for name, table in own.items() if name not in flat]
    behind = [one for found in findings for one in found.departures]
    found[path.resolve()] = Contents([*flat_departures(path, flat), *behind], findings)


def _extended(path: Path, told: Any) -> list[str]:
    texts = [told] if isinstance(told, str) else told
    if not isinstance(texts, list) or not all(isinstance(one, str) and one for one in texts):
        cure = f'{EXTENDS} = ["base.toml"]'
        raise BadKnown(f"{path}: {EXTENDS} must be a path or a list of paths, such as {cure}")
    return texts


def _parsed(path: Path, asked: str = "") -> dict[str, Any]:
    """Parse a file.

    Args:
        path: the file.
        asked: start of the message if another file extends this one; else empty.
    """
    try:
        return toml.loads(path.read_text(encoding="utf-8"))
    except OSError as raised:
        cure = "; write a path relative to the file that extends it" if asked else ""
        place = f"{asked}{path}" if asked else f"{path}:"
        raise BadKnown(f"{place} cannot be read: {raised.strerror}{cure}") from raised
    except (toml.TOMLDecodeError, UnicodeDecodeError) as raised:
        raise BadKnown(f"{path}: not valid TOML: {raised}") from raised
