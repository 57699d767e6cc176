"""Reads tables of past bugs: each entry has an environment with the bug and one without."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treelaws.compat import toml
from treelaws.releases.environments.environments import Wanted
from treelaws.releases.environments.requirements import BadRequest

# Only a clone of the project has this file.
DEFAULT = Path(__file__).resolve().parents[4] / "reports" / "past_bugs.toml"


@dataclasses.dataclass(frozen=True)
class Entry:
    """A bug of a release.

    Args:
        id: its name.
        bad: an environment with the bug.
        good: an environment without it.
        law: id of the law that finds it; `"*"` for any law.
        subject: name of the subject that fails the law; `"*"` for any subject.
        question: the question of `questions.toml` that it is about; empty for users' own.
    """

    id: str
    bad: Wanted
    good: Wanted
    law: str = "*"
    subject: str = "*"
    question: str = ""


def read_entries(path: Path, only: Sequence[str] = ()) -> list[Entry]:
    """Read a table: TOML with a table for each bug, or JSON with a list of them.

    Args:
        path: the file.
        only: ids of the entries to return; default: all.

    Raises:
        BadRequest: the file cannot be read, an entry is incomplete, or no entry has such an id.
    """
    try:
        text = path.read_text(encoding="utf-8")
        tables = json.loads(text) if path.suffix == ".json" else toml.loads(text)
    except OSError as raised:
        cure = "name a file of bugs, such as reports/past_bugs.toml in a clone of the project"
        raise BadRequest(f"{path}: cannot be read: {raised.strerror}; {cure}") from raised
    except ValueError as raised:
        raise BadRequest(f"{path}: not valid {path.suffix[1:].upper()}: {raised}") from raised
    if isinstance(tables, dict):
        tables = [{"id": name, **table} for name, table in tables.items() if _is_table(path, table)]
    entries = {entry.id: entry for entry in (_entry(path, table) for table in tables)}
    for name in only:
        if name not in entries:
            raise BadRequest(f"{path}: no entry is called {name!r}; known: {', '.join(entries)}")
    return [entries[name] for name in only or entries]


def _is_table(path: Path, table: Any) -> bool:
    if not isinstance(table, dict):
        raise BadRequest(f"{path}: {table!r} is not an entry; write [name] with 'bad' and 'good'")
    return True


def _entry(path: Path, table: Any) -> Entry:
    if not (_is_table(path, table) and isinstance(table.get("id"), str)):
        raise BadRequest(f"{path}: an entry needs an 'id'")
    place = f"{path}: [{table['id']}]"
    bad, good = (_side(place, name, table.get(name)) for name in ("bad", "good"))
    # Without a subject, `law` is a sentence about the bug, not the id of a law.
    named = {key: table[key] for key in ("law", "subject") if "subject" in table}
    return Entry(table["id"], bad, good, **named, question=table.get("question", ""))


def _side(place: str, name: str, side: Any) -> Wanted:
    pins = side.get("pip") if isinstance(side, dict) else None
    if not isinstance(pins, list) or not isinstance(side.get("python", ""), str):
        raise BadRequest(
            f"{place} {name}: write {{ python = '3.11', pip = ['jax==0.5.3'] }}, not {side!r}"
        )
    try:
        return Wanted(tuple(pins), python=side.get("python", ""))
    except BadRequest as raised:
        raise BadRequest(f"{place} {name}: {raised}") from raised
