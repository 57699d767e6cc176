"""A file of what became of each case, written while a process works, which may die at any case."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treelaws.core.files import replace_text

_BEGUN, _READING, _ENDED = "begun", "reading", "ended"


@dataclasses.dataclass(frozen=True)
class Journal:
    """A journal of cases, one line for the begin and one for the end of each.

    Args:
        path: its file; its folder exists.
    """

    path: Path

    def begun(self, case: int) -> None:
        """Note that a case begins."""
        self._append({_BEGUN: case})

    def reading(self, case: int) -> None:
        """Note that a case begins to read what another process wrote."""
        self._append({_READING: case})

    def ended(self, case: int, told: Mapping[str, Any]) -> None:
        """Note what became of a case."""
        self._append({_ENDED: case, **told})

    def _append(self, line: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def read(self) -> tuple[dict[int, dict[str, Any]], list[int]]:
        """Return what became of each case that ended, and the cases that begun and did not end."""
        ended: dict[int, dict[str, Any]] = {}
        begun: dict[int, None] = {}
        if not self.path.exists():
            return ended, []
        for text in self.path.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                # The last line of a process that was killed while it wrote.
                continue
            if _BEGUN in line:
                begun[line[_BEGUN]] = None
            elif _ENDED in line:
                ended[line.pop(_ENDED)] = line
        return ended, [case for case in begun if case not in ended]

    def reached(self) -> set[int]:
        """Return the cases that have begun to read what another process wrote."""
        if not self.path.exists():
            return set()
        begins = f'{{"{_READING}": '
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return {json.loads(line)[_READING] for line in lines if line.startswith(begins)}

    def forget(self) -> None:
        """Forget the cases that begun and did not end, since something else stopped the process."""
        ended, begun = self.read()
        if begun:
            lines = (json.dumps({_ENDED: case, **told}) + "\n" for case, told in ended.items())
            replace_text(self.path, "".join(lines))
