"""`python -m examples.table` prints the tables and judgements of README.md, from `results/`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .library import Judgement, Library, libraries

# More laws than these are counted, not named.
_MOST = 4
_HEAD = (
    "library",
    "version",
    "node types",
    "checks",
    "no instances",
    "held",
    "known",
    "skipped",
    "failing",
    "false alarms",
    "reports",
    "defects",
)


def recorded(library: Library) -> list[dict[str, Any]]:
    """Return the results of a library, one for each check; empty if it was never run."""
    if not library.results.exists():
        return []
    return json.loads(library.results.read_text(encoding="utf-8"))["node_types"]


def failing(library: Library) -> Iterator[tuple[int, int, str, str, Judgement | None]]:
    """Return each failing law: numbers of check and report, node type, law, and judgement."""
    for number, one in enumerate(recorded(library)):
        for place, report in enumerate(one.get("reports", ())):
            for law, _, line in report:
                judged = library.judgement(one["node_type"], law, line)
                yield number, place, one["node_type"], law, judged


def counted(library: Library) -> dict[str, Any]:
    """Return the figures of a library, by the columns of the table."""
    found, laws = recorded(library), list(failing(library))
    verdicts: Counter[str] = Counter()
    for one in found:
        verdicts.update(one.get("verdicts", {}))
    version = json.loads(library.results.read_text(encoding="utf-8"))["version"]
    return {
        "library": library.listed,
        "version": version,
        "node types": len({one["node_type"] for one in found}),
        "checks": sum("verdicts" in one for one in found),
        "no instances": sum("refused" in one for one in found),
        **{name: verdicts[name] for name in ("held", "known", "skipped")},
        "failing": len(laws),
        "false alarms": sum(bool(judged and judged.false_alarm) for *_, judged in laws),
        "reports": len({(number, place) for number, place, *_ in laws}),
        # One defect of one node type, however many laws fail.
        "defects": len({(number, judged and judged.name) for number, *_, judged in laws}),
    }


def table() -> str:
    """Return the table, a line for each library that was run, and their sum."""
    rows = [counted(one) for one in libraries() if one.results.exists()]
    rows.append({"library": "all", "version": "", **total(rows)})
    lines = [_line(_HEAD), f"|{'---|' * len(_HEAD)}"]
    return "\n".join([*lines, *(_line([row[name] for name in _HEAD]) for row in rows)])


def shares() -> str:
    """Return the sentence about false alarms and reports of a defect."""
    found = total([counted(one) for one in libraries() if one.results.exists()])
    alarms, defects = found["false alarms"] / found["failing"], found["reports"] / found["defects"]
    return (
        f"Of the {found['failing']} failing laws, {found['false alarms']} are false alarms "
        f"({alarms:.1%}), and there are {defects:.2f} reports for each defect."
    )


def total(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Return the sum of each column of figures."""
    return {name: sum(row[name] for row in rows) for name in _HEAD[2:]}


def _line(cells: Any) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def judgements(*, false_alarms: bool) -> str:
    """Return what was judged of each library, a list item for each cause.

    Args:
        false_alarms: return these, or else the defects.
    """
    parts = []
    for library in libraries():
        if not library.results.exists():
            continue
        laws = list(failing(library))
        items = [
            _item(one, [(name, law) for _, _, name, law, found in laws if found is one])
            for one in library.judgements
            if one.false_alarm == false_alarms
        ]
        if items:
            parts.append("\n".join([f"### {library.listed}", "", *items]))
    return "\n\n".join(parts) or "None."


def _item(judged: Judgement, found: list[tuple[str, str]]) -> str:
    types, laws = (sorted({one[index] for one in found}) for index in (0, 1))
    told = [f"`{law}`" for law in laws[:_MOST]]
    more = f" and {len(laws) - _MOST} more" if len(laws) > _MOST else ""
    link = "" if judged.issue == "unreported" else f" ([reported]({judged.issue}))"
    meets = f" In practice: {judged.meets}." if judged.meets else ""
    about = f"`{types[0]}`" if len(types) == 1 else f"{len(types)} node types"
    fails = f"Fails {', '.join(told)}{more} for {about}."
    return f"- **{judged.name}**{link}: {judged.reason}{meets} {fails}"


def main() -> None:
    """Print the tables and the judgements."""
    print(f"{shares()}\n\n{table()}")
    for title, false_alarms in (("Defects", False), ("False alarms", True)):
        print(f"\n## {title}\n\n{judgements(false_alarms=false_alarms)}")


if __name__ == "__main__":
    main()
