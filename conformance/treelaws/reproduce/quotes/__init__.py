"""Quotes: the words of the documents that promise the laws, for reports to show.

A quote belongs to the laws of one source, or to those of them that its entry names. A law needs no
quote.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from treelaws.compat import toml
from treelaws.core.law import Law

_REQUIRED = ("source", "text")
_ALLOWED = (*_REQUIRED, "laws", "file")
FOLDER = Path(__file__).parent


class BadQuotes(ValueError):
    """A file of quotes is malformed; the text names the entry, the mistake and the fix."""


@dataclasses.dataclass(frozen=True)
class Quote:
    """A quote from a document.

    Args:
        source: link to the document, as laws give it.
        text: the words; `[...]` stands for omitted words.
        laws: ids or patterns of the laws that the words promise; empty for all of the source.
        file: source file of a library that contains the words, such as `"equinox/_tree.py"`;
            empty for a document that no library ships.
        taken_from: the version of that library.
        location: file and number of the quote.
    """

    source: str
    text: str
    laws: tuple[str, ...] = ()
    file: str = ""
    taken_from: str = ""
    location: str = ""

    @property
    def package(self) -> str:
        """The library whose source contains the words."""
        return self.file.partition("/")[0]

    def rank(self, law: Law) -> float:
        """Return how closely the quote names a law: 0 not, 1 by its source, more by its id."""
        if law.source != self.source:
            return 0
        if not self.laws:
            return 1
        return max(_closeness(pattern, law.id) for pattern in self.laws)


def _closeness(pattern: str, id: str) -> float:
    if pattern == id:
        return float("inf")
    matches = fnmatch.fnmatchcase(id, pattern)
    return 1 + sum(letter not in "*?" for letter in pattern) if matches else 0


def read(path: Path) -> list[Quote]:
    """Read a file of quotes.

    Raises:
        BadQuotes: the file cannot be read or is not TOML, or an entry lacks or misspells a key.
    """
    try:
        tables = toml.loads(path.read_text(encoding="utf-8"))
    except OSError as raised:
        raise BadQuotes(f"{path}: cannot be read: {raised.strerror}") from raised
    except (toml.TOMLDecodeError, UnicodeDecodeError) as raised:
        raise BadQuotes(f"{path}: not valid TOML: {raised}") from raised
    for key in tables:
        if key not in ("quote", "taken_from"):
            raise BadQuotes(f"{path} has [{key}]; write [[quote]] and one [taken_from]")
    entries, versions = tables.get("quote", []), tables.get("taken_from", {})
    if not isinstance(entries, list) or not isinstance(versions, dict):
        raise BadQuotes(f"{path}: write each quote as [[quote]] and one table [taken_from]")
    return [
        _quote(f"{path}: quote {number}", entry, versions)
        for number, entry in enumerate(entries, start=1)
    ]


def _quote(location: str, entry: Any, versions: Mapping[str, str]) -> Quote:
    if not isinstance(entry, dict):
        raise BadQuotes(f"{location} is not a table; write [[quote]] with {', '.join(_REQUIRED)}")
    for key, value in entry.items():
        if key not in _ALLOWED:
            raise BadQuotes(f"{location} has {key!r}; allowed: {', '.join(_ALLOWED)}")
        if key != "laws" and not isinstance(value, str):
            raise BadQuotes(f"{location} {key}: write a string")
    for key in _REQUIRED:
        if not entry.get(key, "").strip():
            raise BadQuotes(f"{location} needs {key!r}; required: {', '.join(_REQUIRED)}")
    laws = entry.get("laws", [])
    named = isinstance(laws, list) and all(isinstance(law, str) and law for law in laws)
    if not named or ("laws" in entry and not laws):
        raise BadQuotes(f"{location} laws: write a list of ids or patterns, or leave it out")
    quote = Quote(
        **{**entry, "text": entry["text"].strip(), "laws": tuple(laws), "location": location}
    )
    if quote.file and quote.package not in versions:
        raise BadQuotes(f"{location} file: [taken_from] names no version of {quote.package!r}")
    return dataclasses.replace(quote, taken_from=versions.get(quote.package, ""))


@functools.cache
def quotes() -> tuple[Quote, ...]:
    """Return every quote that ships with the suite."""
    return tuple(found for path in sorted(FOLDER.glob("*.toml")) for found in read(path))


def closest(law: Law, among: Iterable[Quote]) -> list[Quote]:
    """Return the quotes that name a law most closely: one, none, or several by mistake."""
    ranked = [(quote.rank(law), quote) for quote in among]
    highest = max((rank for rank, _ in ranked), default=0)
    return [quote for rank, quote in ranked if rank == highest > 0]


@functools.cache
def quote_for(law: Law) -> str:
    """Return the words that promise a law, or an empty text.

    Args:
        law: the law.
    """
    return next((quote.text for quote in closest(law, quotes())), "")
