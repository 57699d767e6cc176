"""The file of results: a line of JSON for each law, so that a stopped run can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from treelaws.core.errors import BadInput

from .matrix import Cell


class Results:
    """The cells of the laws that were tried, in a file that several shards may share.

    Args:
        path: the file; `None` to keep the cells in memory alone.

    Raises:
        BadInput: the file cannot be read, or is not a file of results.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._cells: dict[tuple[str, str, str], Cell] = {}
        self.laws: set[str] = set()
        for law, cells in _lines(path) if path is not None else ():
            self._take(law, cells)

    @property
    def cells(self) -> Sequence[Cell]:
        """The cells; what was tried again, with more inputs, is there as of the last time."""
        return list(self._cells.values())

    def add(self, law: str, cells: Iterable[Cell]) -> None:
        """Add the cells of a law, also to the file."""
        found = list(cells)
        self._take(law, found)
        if self._path is None:
            return
        rows = [[one.subject, one.function, one.fault, one.outcome] for one in found]
        text = json.dumps({"law": law, "cells": rows}) + "\n"
        # One write, so that the lines of two shards do not mix.
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)

    def _take(self, law: str, cells: Sequence[Cell]) -> None:
        self.laws.add(law)
        self._cells |= {(one.law, one.function, one.fault): one for one in cells}


def _lines(path: Path) -> Iterator[tuple[str, list[Cell]]]:
    if not path.exists():
        return
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as raised:
        raise BadInput(f"{path}: cannot be read: {raised}") from raised
    # A stopped run may leave half a line at the end.
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            return
        try:
            found = json.loads(line)
            yield found["law"], [Cell(found["law"], *cell) for cell in found["cells"]]
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{path}:{number}: is not a result of `faults`") from None
