"""`python -m examples.table REPORT...`: the table and the departures of README.md, counted.

Run in `conformance/`; each argument is the `report.json` of a run of `pytest examples`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from treelaws.core.departures import known

from .library import Cause, Library, libraries

# More laws than these are counted, not named.
_MOST = 4
_VERDICTS = ("held", "broken", "known", "advice", "blocked", "skipped")


def rows(reports: Sequence[Path]) -> dict[str, Counter[str]]:
    """Count the laws by subject and verdict; a later report replaces what an earlier one says."""
    found: dict[str, dict[str, str]] = {}
    for path in reports:
        mine: dict[str, dict[str, str]] = {}
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            advice = row["verdict"] == "broken" and row.get("advisory")
            verdict = "advice" if advice else row["verdict"]
            laws = mine.setdefault(row["subject"], {})
            # A witness that was replayed comes beside the law's own row.
            if laws.get(row["law"]) != "known":
                laws[row["law"]] = verdict
        found |= mine
    return {name: Counter(laws.values()) for name, laws in found.items()}


def table(reports: Sequence[Path]) -> str:
    """Write the table, a line for each library that the reports hold."""
    found = rows(reports)
    lines = [
        f"| library | version | node types | not tried | {' | '.join(_VERDICTS)} |",
        f"|---|---|---{'|---' * (len(_VERDICTS) + 1)}|",
        *(_line(library, found) for library in libraries() if _of(library, found)),
    ]
    return "\n".join(lines)


def _of(library: Library, found: dict[str, Counter[str]]) -> list[Counter[str]]:
    return [count for name, count in found.items() if name.startswith(f"{library.package}.")]


def _line(library: Library, found: dict[str, Counter[str]]) -> str:
    from .finding import node_types
    from .making import reason

    counts = _of(library, found)
    total = sum(counts, Counter())
    types = node_types(library) if library.searched else {}
    left = sum(bool(reason(library, name)) for name in types)
    cells = [library.distribution or library.package, library.installed, len(counts), left]
    return f"| {' | '.join(map(str, [*cells, *(total[one] for one in _VERDICTS)]))} |"


def departures() -> str:
    """Write what was judged of each library, a list item for each cause, counted in `known/`."""
    parts = []
    for library in libraries():
        if not library.known.exists():
            continue
        found = known.read(library.known)
        lines = [f"### {library.distribution or library.package} {library.installed}", ""]
        for cause in library.causes:
            mine = [one for one in found if one.name.startswith(f"{library.package}_{cause.name}_")]
            lines += [_item(cause, mine)] if mine else []
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _item(cause: Cause, mine: Sequence[known.Departure]) -> str:
    laws, types = (sorted({getattr(one, key) for one in mine}) for key in ("law", "subject"))
    told = [f"`{law}`" for law in laws[:_MOST]]
    more = f" and {len(laws) - _MOST} more" if len(laws) > _MOST else ""
    bound = re.findall(r"^(?:tree|node|other) = .*", mine[0].witness, re.MULTILINE)
    # What only makes leaves fit for the law shows nothing.
    told_input = "; ".join(line for line in bound if not line.startswith("node = without_"))
    link = cause.issue if cause.issue == "unreported" else f"[reported]({cause.issue})"
    return (
        f"- **{cause.name}** ({link}): {cause.reason} You meet: {cause.meets}. "
        f"Breaks {', '.join(told)}{more} for {_counted(types)}. Witness: `{told_input}`"
    )


def _counted(types: Sequence[str]) -> str:
    return f"`{types[0]}`" if len(types) == 1 else f"{len(types)} node types"


def main() -> None:
    """Print both for the reports named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m examples.table")
    parser.add_argument(
        "report", type=Path, nargs="+", help="report.json of a run of `pytest examples`"
    )
    reports = parser.parse_args().report
    for path in reports:
        if not path.is_file():
            parser.error(f"{path} is no file; give the report.json of a run of `pytest examples`")
    print(table(reports))
    print(f"\n{departures()}")


if __name__ == "__main__":
    main()
