"""Turns the tables of findings in a file into findings, and these into known departures.

A table with a `title` is a finding. Each table in its `breaks` names a law and a subject that it
breaks; a key that is not there has the value of the finding:

    [is_array_like_rejects_numpy_scalars]
    title = "`is_array_like` returns False for NumPy scalars"
    library = "equinox"
    severity = "wrong-result"
    consequence = "A filter drops parameters that are NumPy scalars."
    reason = "..."
    versions = { equinox = ">=0.12" }
    law = "equinox.filter.is_array_like_accepts_scalars"

    [is_array_like_rejects_numpy_scalars.breaks.numpy_scalar]
    subject = "equinox"
    witness = "..."

`law` and `subject` may be lists, and `*` in one stands for any text.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .departure import BadKnown, Departure
from .entries import check_case, check_keys, check_texts, lists
from .finding import SEVERITIES, STATES, Finding, Link, open_thread

_TEXTS = ("title", "library", "severity", "consequence", "reason")
_TEXTS_OF_BREAKS = ("every_case", "raises", "race", "witness")
_SHARED = ("law", "subject", "versions", "region", "also", "config", *_TEXTS_OF_BREAKS)
_REQUIRED = (*_TEXTS, "versions", "breaks")
_ALLOWED = (*_REQUIRED, "first_bad", "links", "script", "question", *_SHARED)
_NEEDED = ("law", "subject", "versions", "witness")
_LINK = ("url", "state", "looked_up", "fixed_in")


def is_finding(table: Any) -> bool:
    """Return whether a table is a finding, not a flat entry."""
    return isinstance(table, dict) and ("title" in table or "breaks" in table)


def finding(path: Path, id: str, table: Mapping[str, Any]) -> Finding:
    """Return the finding in a table.

    Args:
        path: the file, as messages name it.
        id: name of the table.
        table: the table.

    Raises:
        BadKnown: the table lacks or misspells a key, or has a value that is not allowed.
    """
    place = f"{path}: [{id}]"
    _check(place, table)
    links = tuple(_link(place, told) for told in table.get("links", []))
    shared = {key: table[key] for key in _SHARED if key in table}
    about = {"reason": table["reason"], "issue": open_thread(links), "finding": id}
    departures = tuple(
        Departure(**about, file=str(path), entry=(id, "breaks", name), **one)
        for name, broken in table["breaks"].items()
        for one in _breaks(f"{path}: [{id}.breaks.{name}]", name, broken, shared)
    )
    texts = {key: table.get(key, "") for key in (*_TEXTS, "script", "question")}
    return Finding(
        id,
        **texts,
        versions=table["versions"],
        departures=departures,
        first_bad=table.get("first_bad", {}),
        links=links,
        file=str(path),
    )


def _check(place: str, table: Mapping[str, Any]) -> None:
    for key in _REQUIRED:
        if not table.get(key):
            raise BadKnown(f"{place} needs {key!r}; required: {', '.join(_REQUIRED)}")
    check_keys(place, table, _ALLOWED)
    check_texts(place, table, (*_TEXTS, "script", "question", *_TEXTS_OF_BREAKS))
    check_case(place, table)
    if table["severity"] not in SEVERITIES:
        told = f"severity {table['severity']!r}; allowed: {', '.join(SEVERITIES)}"
        raise BadKnown(f"{place} {told}")
    first = table.get("first_bad", {})
    if not isinstance(first, dict) or not all(isinstance(one, str) for one in first.values()):
        raise BadKnown(f"{place} first_bad: write a table such as {{ equinox = '0.13.5' }}")
    if not isinstance(table["breaks"], dict):
        raise BadKnown(f"{place} breaks: write tables [NAME.breaks.CASE]")


def _link(place: str, told: Any) -> Link:
    known = isinstance(told, dict) and set(told) <= set(_LINK)
    if not known or not {"url", "state", "looked_up"} <= set(told):
        cure = '{ url = "https://...", state = "open", looked_up = 2026-01-31 }'
        raise BadKnown(f"{place} links: {told!r}; write {cure}")
    if told["state"] not in STATES:
        raise BadKnown(f"{place} links: state {told['state']!r}; allowed: {', '.join(STATES)}")
    if not isinstance(told["looked_up"], datetime.date):
        raise BadKnown(f"{place} links: looked_up is not a date; write it as 2026-01-31")
    return Link(**told)


def _breaks(place: str, name: str, told: Any, shared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of the departures that one table in `breaks` stands for."""
    if not isinstance(told, dict):
        raise BadKnown(f"{place} is not a table; write it with law, subject and witness")
    check_keys(place, told, _SHARED)
    if "region" in told or "every_case" in told:
        shared = {key: shared[key] for key in shared if key not in ("region", "every_case")}
    table = {**shared, **told}
    for key in _NEEDED:
        if not table.get(key):
            raise BadKnown(f"{place} needs {key!r}, there or in its finding")
    check_texts(place, table, _TEXTS_OF_BREAKS)
    check_case(place, table)
    laws, subjects = (_names(place, key, table[key]) for key in ("law", "subject"))
    pairs = list(itertools.product(laws, subjects))
    return [
        {
            **table,
            "law": law,
            "subject": subject,
            **lists(table),
            "name": name if len(pairs) == 1 else f"{name}[{_suffix(laws, subjects, law, subject)}]",
        }
        for law, subject in pairs
    ]


def _names(place: str, key: str, told: Any) -> list[str]:
    names = told if isinstance(told, list) else [told]
    if not names or not all(isinstance(one, str) and one for one in names):
        raise BadKnown(f"{place} {key}: {told!r} is not a name or a list of names")
    return names


def _suffix(laws: list[str], subjects: list[str], law: str, subject: str) -> str:
    parts = ([law] if len(laws) > 1 else []) + ([subject] if len(subjects) > 1 else [])
    return " ".join(parts)
