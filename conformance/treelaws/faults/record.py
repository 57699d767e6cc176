"""The committed table of the matrix: for each function, few laws that notice its faults."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import tomlkit

from treelaws.compat import toml
from treelaws.core.files import replace_text

from .matrix import MISSED, NOTICED, Cell, by_function

# Only a clone of the project has this file.
FILE = Path(__file__).resolve().parents[3] / "reports" / "faults.toml"
_HEAD = "Written by `python -m treelaws faults --record`."


@dataclasses.dataclass(frozen=True)
class Function:
    """The faults of a function.

    Args:
        noticed: by the id of a law: the faults that it notices and no law before it does.
        missed: the faults that no law notices.
    """

    noticed: Mapping[str, Sequence[str]]
    missed: Sequence[str]


def recorded() -> Mapping[str, Function]:
    """Return the committed table by function."""
    table = toml.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: Function(entry["noticed"], entry["missed"])
        for name, entry in table["functions"].items()
    }


def record(cells: Sequence[Cell]) -> None:
    """Write the committed table from a matrix of all laws."""
    document, functions = tomlkit.document(), tomlkit.table(is_super_table=True)
    document.add(tomlkit.comment(_HEAD))
    for name, function in sorted(_functions(cells).items()):
        entry = tomlkit.table()
        entry["noticed"] = dict(function.noticed)
        entry["missed"] = list(function.missed)
        functions[name] = entry
    document["functions"] = functions
    replace_text(FILE, tomlkit.dumps(document))


def _functions(cells: Sequence[Cell]) -> Mapping[str, Function]:
    found: dict[str, Function] = {}
    outcomes = by_function(cells)
    for name in {function for function, _ in outcomes}:
        seen: dict[str, set[str]] = {}
        for cell in cells:
            if cell.function == name and cell.outcome == NOTICED:
                seen.setdefault(cell.law, set()).add(cell.fault)
        missed = sorted(key[1] for key, how in outcomes.items() if key[0] == name and how == MISSED)
        found[name] = Function(dict(_cover(seen)), missed)
    return found


def _cover(seen: Mapping[str, set[str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield laws, those that notice most first, until each fault is noticed by one of them."""
    left = set().union(*seen.values()) if seen else set()
    while left:
        law = max(sorted(seen), key=lambda one: len(seen[one] & left))
        yield law, sorted(seen[law] & left)
        left -= seen[law]
