"""Joins the reports of shards into one report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from .collecting import Collector
from .report import BadReport, Report, read
from .stream import NAME

# Machines may differ in their kernel, which does not affect laws.
_MAY_DIFFER = {"environment": {"platform"}, "suite": {"shard"}}
Parts = Mapping[Path, Report]


def merge(folders: Sequence[Path], into: Path) -> tuple[Report, list[str]]:
    """Join reports and write the joint one in every format, with witnesses and scripts.

    Args:
        folders: folders written by `pytest --report`, one for each part of a run.
        into: folder of the joint report; it is created.

    Returns:
        The joint report, and a line for each missing or incomplete part.

    Raises:
        BadReport: a report cannot be read, the reports are not of one run, or the folder cannot
            be written.
    """
    parts = _read(folders)
    if into.resolve() in {path.resolve() for path in folders}:
        raise BadReport(f"--report {into}: is one of the parts; give another folder")
    for (one, first), (other, second) in combinations(parts.items(), 2):
        _compare(one, first, other, second)
    missing = list(_missing(parts))
    _refuse_twice(parts)
    collector = Collector(_facts(parts), _made(into), None)
    laws = {id: law for part in parts.values() for id, law in part.laws.items()}
    rows = [row for part in parts.values() for row in part.rows]
    # Node ids are only used for workers that died, so any unique text does.
    findings = {id: found for part in parts.values() for id, found in part.findings.items()}
    collector.plan([["/".join(row.identity), *row.identity] for row in rows], laws, findings)
    for row in rows:
        collector.row(row.content())
    collector.finish(None if missing else sum(part.seconds for part in parts.values()))
    return read(into), [*missing, *collector.problems]


def _read(folders: Sequence[Path]) -> Parts:
    parts: dict[Path, Report] = {}
    for folder in folders:
        if folder in parts:
            raise BadReport(f"{folder}: is named twice; name each part once")
        if folder.is_dir() and not (folder / "report.json").exists() and (folder / NAME).exists():
            cure = f"`python -m treelaws report {folder}` writes it from the events of the run"
            raise BadReport(f"{folder / 'report.json'}: is not there; {cure}")
        parts[folder] = read(folder)
    return parts


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as raised:
        reason = f"cannot be written: {raised.strerror}; give a folder"
        raise BadReport(f"--report {folder}: {reason}") from raised
    return folder


def _compare(one: Path, first: Report, other: Path, second: Report) -> None:
    """Raise if two reports cannot be parts of one run."""
    for name, free in _MAY_DIFFER.items():
        told = [_flat(getattr(report, name)) for report in (first, second)]
        for key in sorted({*told[0], *told[1]} - free):
            values = [facts.get(key, "absent") for facts in told]
            if values[0] != values[1]:
                raise BadReport(
                    f"{one} and {other} are not of one run: {key} is {values[0]} in the first and "
                    f"{values[1]} in the second; run both parts with the same"
                )
    for id in sorted({*first.laws} & {*second.laws}):
        if first.laws[id] != second.laws[id]:
            raise BadReport(f"{one} and {other} are not of one run: {id} is another law in each")


def _flat(facts: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in facts.items():
        if isinstance(value, Mapping):
            found |= {str(name): str(inner) for name, inner in value.items()}
        else:
            found[key] = str(value)
    return found


def _refuse_twice(parts: Parts) -> None:
    seen: dict[tuple[str, str, str], Path] = {}
    for path, part in parts.items():
        for row in part.rows:
            if (other := seen.setdefault(row.identity, path)) != path:
                raise BadReport(
                    f"{other} and {path} both hold {row.law} [{row.subject}]; give parts that "
                    "share no law, as `pytest --shard I/N` makes them"
                )


def _missing(parts: Parts) -> Iterator[str]:
    """Yield a line for each missing shard and each incomplete part."""
    shards: dict[str, Path] = {}
    for path, part in parts.items():
        shard = part.suite.get("shard", "")
        if shard and shard in shards:
            raise BadReport(f"{shards[shard]} and {path} are both shard {shard}; give each once")
        shards[shard] = path
    splits = {shard.rpartition("/")[2] for shard in shards}
    if len(splits) > 1:
        told = ", ".join(f"{path} is {shard or 'no shard'}" for shard, path in shards.items())
        raise BadReport(f"parts of different splits: {told}; give every shard of one split")
    split = splits.pop() if splits else ""
    for number in range(1, int(split or 0) + 1):
        if (shard := f"{number}/{split}") not in shards:
            yield f"shard {shard} is missing"
    for path, part in parts.items():
        if not part.complete:
            yield f"{path} is incomplete"


def _facts(parts: Parts) -> dict[str, Any]:
    reports = list(parts.values())
    platforms = dict.fromkeys(str(one.environment.get("platform", "")) for one in reports)
    suite = {key: value for key, value in reports[0].suite.items() if key != "shard"}
    return {
        "environment": {**reports[0].environment, "platform": "; ".join(platforms)},
        "suite": suite,
        "started": min(one.started for one in reports),
    }
