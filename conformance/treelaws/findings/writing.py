"""Appends candidates to a file of known departures."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from pathlib import Path

import tomlkit
from tomlkit.items import Item, Table

from treelaws.compat import toml
from treelaws.core.departures.departure import EVERY_CASE, Departure

from .candidates import Candidate

_WIDTH = 98


def append(path: Path, candidates: Sequence[Candidate], taken: Collection[str]) -> list[str]:
    """Append candidates to a file, which is created if it does not exist.

    Args:
        path: the file.
        candidates: what to write.
        taken: names of entries in other files.

    Returns:
        The names of the new entries.

    Raises:
        OSError: the file cannot be written.
    """
    before = path.read_bytes() if path.exists() else b""
    names = {*taken, *toml.loads(before.decode("utf-8"))}
    entries: dict[str, str] = {}
    for one in candidates:
        name = _free(one, names)
        names.add(name)
        entries[name] = _entry(name, one)
    text = "\n".join(entries.values())
    if before:
        # One blank line separates the new entries from the old ones.
        text = ("" if before.endswith(b"\n") else "\n") + "\n" + text
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    # A text that the next run cannot read must not reach the file.
    toml.loads(before.decode("utf-8") + text)
    with path.open("ab") as file:
        file.write(text.encode("utf-8"))
    return list(entries)


def _free(candidate: Candidate, taken: Collection[str]) -> str:
    words = f"{candidate.law} {candidate.subject}"
    wanted = re.sub(r"\W+", "_", words, flags=re.ASCII).strip("_")
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def _entry(name: str, candidate: Candidate) -> str:
    comments = tomlkit.document()
    for line in _comments(candidate):
        comments.add(tomlkit.comment(line))
    # A table that follows a comment in one document gets a blank line above it.
    entry = tomlkit.document().add(name, _table(candidate.departure(name)))
    return comments.as_string() + entry.as_string()


def _comments(candidate: Candidate) -> list[str]:
    told = [
        "Say in `reason` why the library is wrong, and in `issue` where that is reported.",
        (
            f'With "{EVERY_CASE}" the law runs on the witness alone. Narrow the region to the '
            "features that the bug needs, so that a second bug shows."
        ),
    ]
    if candidate.features:
        features = ", ".join(tomlkit.item(one).as_string() for one in candidate.features)
        told.append(f"The witness has: {features}")
    wrapper = textwrap.TextWrapper(width=_WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return [line for text in told for line in wrapper.wrap(text)]


def _table(found: Departure) -> Table:
    table = tomlkit.table()
    table.update({"law": found.law, "subject": found.subject})
    versions = tomlkit.inline_table()
    versions.update(found.versions)
    table.add("versions", versions)
    if found.config:
        config = tomlkit.inline_table()
        config.update(found.config)
        table.add("config", config)
    table.update({"issue": found.issue, "reason": found.reason, "region": list(found.region)})
    for key in ("raises", "race"):
        if told := getattr(found, key):
            table.add(key, told)
    table.add("witness", _block(found.witness))
    return table


def _block(text: str) -> Item:
    """Write text on lines of its own, literally where TOML can."""
    try:
        written = tomlkit.string(text, literal=True, multiline=True).as_string()
    except ValueError:
        written = tomlkit.string(text, multiline=True).as_string()
    # A parser skips the line end after the opening quotes.
    return tomlkit.value(f"{written[:3]}\n{written[3:-3]}\n{written[-3:]}")
