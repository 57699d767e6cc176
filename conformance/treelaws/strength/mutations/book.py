"""The file of results: one JSON object a line, from which a stopped run goes on.

The first line says of which versions and laws the results are. Then come a line for each topic of
laws on the source as it is, one for the witnesses, and one for each mutant.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treelaws.core.errors import BadInput

_KINDS = ("about", "topic", "witnesses", "mutant")


class Book:
    """The results so far; what is added is written at once.

    Args:
        path: the file; created if it does not exist.

    Raises:
        BadInput: the file cannot be read or written, or is not a file of results.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.about: dict[str, Any] = {}
        self.topics: dict[str, dict[str, Any]] = {}
        self.witnesses: list[str] | None = None
        self.mutants: dict[str, dict[str, Any]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            whole, _, cut = path.read_text(encoding="utf-8").rpartition("\n")
            if cut:
                # The run was killed while it wrote this line.
                path.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
        except (OSError, UnicodeDecodeError) as raised:
            why = getattr(raised, "strerror", None) or "it is not text"
            raise BadInput(f"--out: {path} cannot be used: {why}") from None
        for number, line in enumerate(whole.splitlines(), 1):
            self._take(self._read(line, number))

    def _read(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
            if found["kind"] not in _KINDS or (number == 1) != (found["kind"] == "about"):
                raise ValueError
        except (ValueError, TypeError, KeyError):
            what = f"line {number} is not a result of this command"
            raise BadInput(f"--out: {self._path}: {what}; choose another file") from None
        return found

    def _take(self, found: dict[str, Any]) -> None:
        kind = found["kind"]
        if kind == "about":
            self.about = found
        elif kind == "topic":
            self.topics[found["topic"]] = found
        elif kind == "witnesses":
            self.witnesses = found["names"]
        else:
            self.mutants[found["id"]] = found

    def begin(self, about: Mapping[str, Any]) -> None:
        """Write the first line, or compare it with that of the file.

        Args:
            about: what the results depend on.

        Raises:
            BadInput: the results of the file are of something else.
        """
        if not self.about:
            self.add("about", **about)
            return
        different = [key for key, value in about.items() if self.about.get(key) != value]
        if different:
            what = f"its results are of another {different[0]}"
            raise BadInput(f"--out: {self._path}: {what}; choose another file")

    def add(self, kind: str, **content: Any) -> None:
        """Write a line."""
        found = {"kind": kind, **content}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
        self._take(found)
