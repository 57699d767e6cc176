"""The page of generated faults: how many of each library's faults some law notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from treelaws.strength.faults.argued import Argument, arguments
from treelaws.strength.faults.matrix import FAULTS
from treelaws.strength.faults.record import recorded

_HEAD = """\
# Generated faults

`python -m treelaws faults 'jax.map.*'` breaks every function that these laws call, in each way of
the table below, and prints the faults that no law notices. A fault counts if it changes something
that the caller can see.

`--by-law` also prints what each law does not notice, `--out FILE` keeps the results so that a
stopped run can go on, and `--shard I/N` tries one of N parts; parts share the file. The command
exits with 1 if a fault is neither noticed nor argued. The project's own tests repeat a sample of
the results below, which `python -m treelaws faults --record` wrote to `reports/faults.toml`. With
the id of a new law, `--record` only adds a fault that this law notices.

## Results

| library | functions | faults with an effect | noticed | argued | open |
|---|---:|---:|---:|---:|---:|
{results}

## Faults

| fault | the function does this wrong |
|---|---|
{faults}

## Faults that no law has to notice
"""
_OPEN = """\
## Open

No law notices these faults, and nothing says that none has to. Each calls for a law, for an input,
or for a reason above.
"""


def pages() -> dict[str, str]:
    """Return the text of the page by its path below the folder of the documentation."""
    results = "\n".join(_results())
    faults = "\n".join(f"| {one.name} | {one.wrong} |" for one in FAULTS.values())
    argued = "\n".join(map(_argued, arguments()))
    left = "\n".join(_open())
    head = _HEAD.format(results=results, faults=faults)
    return {"faults.md": f"{head}\n{argued}\n\n{_OPEN}\n{left}\n"}


def _results() -> Iterator[str]:
    rows: dict[str, Counter[str]] = {}
    for name, found in recorded().items():
        row = rows.setdefault(name.split(".")[0], Counter())
        row["functions"] += 1
        row["noticed"] += sum(map(len, found.noticed.values()))
        row["argued"] += sum(_is_argued(name, fault) for fault in found.missed)
        row["open"] += sum(not _is_argued(name, fault) for fault in found.missed)
    for library, row in sorted(rows.items()):
        shown = row["noticed"] + row["argued"] + row["open"]
        counts = (row["functions"], shown, row["noticed"], row["argued"], row["open"])
        yield f"| {library} | {' | '.join(map(str, counts))} |"


def _is_argued(function: str, fault: str) -> bool:
    return any(one.covers(function, fault) for one in arguments())


def _open() -> Iterator[str]:
    for name, found in recorded().items():
        faults = [fault for fault in found.missed if not _is_argued(name, fault)]
        if faults:
            yield f"- `{name}`: {', '.join(faults)}"


def _argued(one: Argument) -> str:
    names = ", ".join(f"`{name}`" for name in one.functions)
    excepted = f", unless {', '.join(f'`{name}`' for name in one.unless)}" if one.unless else ""
    return f"- {', '.join(one.faults)} of {names}{excepted}: {one.reason}"
