"""Reports: the rows of a run with its laws, versions and options, as one JSON file."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import json
import platform
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax

import hypothesis_pytrees
import treelaws
from treelaws import compat
from treelaws.core import settings
from treelaws.core.addresses import address
from treelaws.core.errors import BadInput
from treelaws.core.files import replace_text
from treelaws.core.law import Law

from .rows import VERDICTS, Row

FORMAT = 1


class BadReport(BadInput):
    """A report cannot be read; the text names the file, the problem and the fix."""


@dataclasses.dataclass(frozen=True)
class Report:
    """The results of a run.

    Args:
        environment: versions, backend, precision and platform.
        suite: version and fingerprint of this suite, edition, profile and seed.
        laws: description of each law in the rows, by id.
        rows: one row for each law and subject, sorted.
        complete: whether all tests finished.
        started: start of the run in ISO 8601 and UTC.
        seconds: duration of the run.
        findings: description of each finding that the rows name, by id.
    """

    environment: Mapping[str, Any]
    suite: Mapping[str, Any]
    laws: Mapping[str, Mapping[str, Any]]
    rows: tuple[Row, ...]
    complete: bool = True
    started: str = ""
    seconds: float = 0.0
    findings: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """Number of rows by verdict, in the order of `VERDICTS`."""
        found = Counter(row.verdict for row in self.rows)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}

    def content(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {"format": FORMAT, **fields, "rows": [row.content() for row in self.rows]}

    def write(self, path: Path) -> None:
        """Write the report as JSON, completely or not at all."""
        replace_text(path, json.dumps(self.content(), indent=1) + "\n")


def run_facts(started: str, seed: str | None) -> dict[str, Any]:
    """Return the facts of a run: versions, options and start.

    Args:
        started: start of the run in ISO 8601 and UTC.
        seed: seed of Hypothesis; `None` for a random one.
    """
    versions = {name: compat.version(name) for name in compat.LIBRARIES}
    environment = {
        "python": compat.version("python"),
        "libraries": {name: version for name, version in versions.items() if version},
        "backend": jax.default_backend(),
        "x64": bool(jax.config.read("jax_enable_x64")),
        "platform": platform.platform(),
    }
    suite = {
        "version": compat.version("treelaws") or "source",
        "fingerprint": fingerprint(),
        "edition": settings.edition,
        "profile": settings.profile,
        "seed": int(seed) if seed is not None and seed.isdecimal() else seed,
    }
    if settings.within_known:
        suite["all_breaches"] = settings.most_breaches
    if settings.shard:
        suite["shard"] = settings.shard
    return {"environment": environment, "suite": suite, "started": started}


def described(law: Law) -> dict[str, Any]:
    """Return a description of a law for readers of the report."""
    return {
        "statement": law.statement,
        "source": law.source,
        "level": law.level,
        "topic": law.topic.title,
        "family": law.topic.family,
        "since": law.since,
        "fingerprint": _fingerprint_of(law),
        **({"page": page} if (page := address(law)) else {}),
    }


@functools.cache
def _fingerprint_of(law: Law) -> str:
    return _hash(inspect.getsource(law.check))


@functools.cache
def fingerprint() -> str:
    """Return a hash of the sources of this suite."""
    folders = [Path(package.__file__ or "").parent for package in (treelaws, hypothesis_pytrees)]
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return _hash("\0".join(path.read_text(encoding="utf-8") for path in files))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read(path: Path) -> Report:
    """Read a report from its JSON file, or from the folder of this file.

    Raises:
        BadReport: the file cannot be read or has another format.
    """
    file = path / "report.json" if path.is_dir() else path
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as raised:
        raise BadReport(f"{file}: cannot be read: {raised.strerror}") from raised
    except ValueError as raised:
        raise BadReport(f"{file}: not valid JSON: {raised}") from raised
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise BadReport(f"{file}: is not a report of format {FORMAT}; its format is {found!r}")
    try:
        rows = tuple(Row(**row) for row in content.pop("rows"))
        return Report(rows=rows, **{name: content[name] for name in content if name != "format"})
    except (KeyError, TypeError) as raised:
        raise BadReport(f"{file}: does not meet report.schema.json: {raised}") from raised
