"""Turns the tables of a file into known departures: flat ones, and those of findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from treelaws import compat
from treelaws.compat.environment import ASKED_FOR

from .departure import EVERY_CASE, BadKnown, Departure

_TEXTS = ("law", "subject", "issue", "reason", "witness")
_REQUIRED = ("law", "subject", "versions", "issue", "reason", "witness")
_ALLOWED = (*_REQUIRED, "region", "every_case", "raises", "also", "race", "config")
EXTENDS = "extends"


def flat_departures(path: Path, tables: Mapping[str, Any]) -> list[Departure]:
    """Return the departures of the flat tables of a file.

    Args:
        path: the file, as messages name it.
        tables: its entries by name.

    Raises:
        BadKnown: an entry lacks or misspells a key, or has no reason.
    """
    for name, table in tables.items():
        _check(f"{path}: [{name}]", name, table)
    blank = [name for name, table in tables.items() if not table.get("reason", "").strip()]
    if blank:
        others = f"; so is that of {', '.join(f'[{name}]' for name in blank[1:])}"
        told = "reason is blank: say why the library is wrong"
        raise BadKnown(f"{path}: [{blank[0]}] {told}{others if blank[1:] else ''}")
    return [
        Departure(**{**table, **lists(table), "name": name, "file": str(path)})
        for name, table in tables.items()
    ]


def _check(place: str, name: str, table: Any) -> None:
    if not isinstance(table, dict):
        raise BadKnown(f"{place} is not a table; write [{name}] with {', '.join(_REQUIRED)}")
    for key in _REQUIRED:
        if key != "reason" and not table.get(key):
            raise BadKnown(f"{place} needs {key!r}; required: {', '.join(_REQUIRED)}")
    for key in table:
        if key == EXTENDS:
            raise BadKnown(f"{place} has {key!r}; write it above the first table of the file")
    check_keys(place, table, _ALLOWED)
    check_texts(place, table, (*_TEXTS, "every_case", "raises", "race"))
    check_case(place, table)


def check_keys(place: str, table: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    """Reject a key that is not allowed.

    Raises:
        BadKnown: there is one.
    """
    for key in table:
        if key not in allowed:
            raise BadKnown(f"{place} has {key!r}; allowed: {', '.join(allowed)}")


def check_texts(place: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """Reject a value that is not a string.

    Raises:
        BadKnown: there is one.
    """
    for key in keys:
        if not isinstance(table.get(key, ""), str):
            raise BadKnown(f'{place} {key}: {table[key]!r} is not a string; write {key} = "..."')


def check_case(place: str, table: Mapping[str, Any]) -> None:
    """Reject a malformed region, version or option of JAX.

    Raises:
        BadKnown: the region is not made of strings or given twice, a specifier is not valid, or an
            option of JAX is unknown or has a value that it cannot have.
    """
    if "region" in table and "every_case" in table:
        raise BadKnown(f"{place} has 'region' and 'every_case'; write one of them")
    if not all(isinstance(one, str) for one in region(table)):
        raise BadKnown(f"{place} region: write conjunctions of features, such as ['history:copy']")
    if not all(isinstance(one, str) for one in _listed(table, "also")):
        cure = "write names of exceptions and of differences, such as ['TypeError', 'dtype']"
        raise BadKnown(f"{place} also: {cure}")
    for problem in _of_versions(table.get("versions", {})):
        raise BadKnown(f"{place} versions: {problem}")
    for problem in _of_options(table.get("config", {})):
        raise BadKnown(f"{place} config: {problem}")


def region(table: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the region of an entry, of which a single condition may be a plain string.

    `every_case = "why"` is the region of every case, with the reason.
    """
    if table.get("every_case"):
        return (EVERY_CASE,)
    return _listed(table, "region")


def lists(table: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the values of an entry that are lists, by key."""
    return {"region": region(table), "also": _listed(table, "also")}


def _listed(table: Mapping[str, Any], key: str) -> tuple[Any, ...]:
    found = table.get(key, [])
    return tuple(found) if isinstance(found, list) else (found,)


def _of_versions(versions: Any) -> Iterator[str]:
    if not isinstance(versions, dict):
        yield "write a table such as { jax = '<0.5' }"
        return
    for package, spec in versions.items():
        if not isinstance(spec, str):
            yield f"{package} = {spec!r} is not a string; write for example {package} = '>=0.13'"
            continue
        try:
            compat.specifier(spec)
        except ValueError as raised:
            yield str(raised)


def _of_options(config: Any) -> Iterator[str]:
    if not isinstance(config, dict):
        yield f"{config!r} is not a table; write for example {{ jax_enable_x64 = true }}"
        return
    for name, value in config.items():
        allowed = ASKED_FOR.get(name)
        if allowed is None:
            yield f"unknown option {name!r}; write {', '.join(ASKED_FOR)}"
        elif not any(type(value) is type(one) and value == one for one in allowed):
            values = " or ".join(json.dumps(one) for one in allowed)
            yield f"{name} is {json.dumps(value, default=str)}; write {values}"
