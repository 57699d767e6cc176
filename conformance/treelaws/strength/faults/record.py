"""The committed table of the matrix: few laws that notice the faults of each function, and a fault
that each law notices."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit

from treelaws.compat import toml
from treelaws.core.errors import BadInput
from treelaws.core.files import replace_text

from .fault import FAULTS
from .matrix import MISSED, NOTICED, Cell, by_function

# Only a clone of the project has this file.
FILE = Path(__file__).resolve().parents[4] / "reports" / "faults.toml"
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
    """Return the committed table by function.

    Raises:
        BadInput: the package is not that of a clone.
    """
    return {
        name: Function(entry["noticed"], entry["missed"])
        for name, entry in _table()["functions"].items()
    }


def noticed_by_law() -> Mapping[str, tuple[str, str]]:
    """Return by the id of a law a function and one of its faults that the law notices.

    Raises:
        BadInput: the package is not that of a clone.
    """
    return {law: (function, fault) for law, (function, fault) in _table()["laws"].items()}


def _table() -> Mapping[str, Any]:
    try:
        return toml.loads(FILE.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{FILE} does not exist; run this in a clone of the project") from None


def check() -> None:
    """Raise BadInput if the package is not that of a clone, so that it has no committed table."""
    if not FILE.parent.is_dir():
        raise BadInput(f"{FILE.parent} does not exist; use --record in a clone of the project")


def record(cells: Sequence[Cell]) -> None:
    """Write the committed table from a matrix of all laws."""
    functions = {
        name: {"noticed": dict(found.noticed), "missed": list(found.missed)}
        for name, found in _functions(cells).items()
    }
    _write(_places(cells), functions)


def record_laws(cells: Sequence[Cell]) -> None:
    """Write only the faults that some laws notice, and keep what the table says of the others."""
    table = _table()
    _write({**table["laws"], **_places(cells)}, table["functions"])


def _write(laws: Mapping[str, Any], functions: Mapping[str, Any]) -> None:
    document, tables = tomlkit.document(), tomlkit.table(is_super_table=True)
    document.add(tomlkit.comment(_HEAD))
    document["laws"] = {law: list(place) for law, place in sorted(laws.items())}
    for name, entry in sorted(functions.items()):
        tables[name] = entry
    document["functions"] = tables
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


def _places(cells: Sequence[Cell]) -> Mapping[str, tuple[str, str]]:
    """Return by law the fault that it notices: the first kind of fault, then the first function."""
    rank = list(FAULTS)
    noticed = [cell for cell in cells if cell.outcome == NOTICED]
    ordered = sorted(noticed, key=lambda one: (rank.index(one.fault), one.function), reverse=True)
    return {cell.law: (cell.function, cell.fault) for cell in ordered}


def _cover(seen: Mapping[str, set[str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield laws, those that notice most first, until each fault is noticed by one of them."""
    left = set().union(*seen.values()) if seen else set()
    while left:
        law = max(sorted(seen), key=lambda one: len(seen[one] & left))
        yield law, sorted(seen[law] & left)
        left -= seen[law]
