"""Witnesses: inputs that broke laws, as files to keep, replay and report."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hypothesis_pytrees import Recipe
from treelaws import compat
from treelaws.core.departures.departure import Departure
from treelaws.core.errors import BadInput
from treelaws.core.failure import Breach
from treelaws.core.files import replace_text
from treelaws.core.law import Law
from treelaws.core.mismatch import Mismatch
from treelaws.core.search import run
from treelaws.core.subject import Subject
from treelaws.laws import law_named
from treelaws.reproduce.named import departure_named
from treelaws.subjects.registry import load as load_subject

FORMAT = 1
_TEXT = ("law", "subject", "expression", "difference", "key")
_LISTS = ("definitions", "statements", "features")
_KEYS = ("format", *_TEXT, *_LISTS, "versions")


class BadWitness(BadInput):
    """A witness cannot be read; the message names the file, the reason and the fix."""


@dataclasses.dataclass(frozen=True)
class Witness:
    """An input and the law that it broke.

    Args:
        law: id of the law.
        subject: name of the subject, or `package.module:object`.
        recipe: the input.
        versions: versions of the libraries at the time, by name; empty if not recorded.
        difference: the values got and wanted at the time.
        key: equal for witnesses of probably the same bug.
    """

    law: str
    subject: str
    recipe: Recipe
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    difference: str = ""
    key: str = ""

    def breach(self) -> Breach | None:
        """Run the law on it with the installed versions; return the breach, or `None`.

        Raises:
            BadWitness: the law or the subject does not exist, or cannot run here.
        """
        law, subject = self._named()
        if reason := subject.absent or ", ".join(subject.missing(law.needs)):
            raise BadWitness(f"{self.law} cannot run on {self.subject} here: {reason}")
        try:
            run(law, subject, self.recipe)
        except Breach as breach:
            return breach
        return None

    def content(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        recipe = self.recipe
        return {
            "format": FORMAT,
            "law": self.law,
            "subject": self.subject,
            "definitions": list(recipe.definitions),
            "statements": list(recipe.statements),
            "expression": recipe.expression,
            "features": sorted(recipe.features),
            "versions": self.versions,
            "difference": self.difference,
            "key": self.key,
        }

    def _named(self) -> tuple[Law, Subject]:
        try:
            return law_named(self.law), load_subject(self.subject)
        except KeyError:
            raise BadWitness(f"no law is called {self.law!r}") from None
        except LookupError as raised:
            raise BadWitness(str(raised.args[0])) from raised


def witness_of(breach: Breach) -> Witness:
    """Return the witness of a breach."""
    return Witness(
        breach.law.id,
        breach.subject.name,
        breach.recipe,
        installed(),
        breach.difference,
        _key(breach),
    )


def installed() -> dict[str, str]:
    """Return the versions of the installed libraries by name."""
    versions = {name: compat.version(name) for name in compat.LIBRARIES}
    return {name: version for name, version in versions.items() if version}


def _key(breach: Breach) -> str:
    # Key path and values are left out: they differ between runs.
    cause = breach.cause
    aspect = cause.aspect if isinstance(cause, Mismatch) else type(cause).__name__
    text = "\n".join((breach.law.id, breach.subject.library_name, aspect))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def write(folder: Path, witness: Witness, script: str = "", *, number: int = 1) -> Path:
    """Write a witness and its script into a folder; return the path of the witness.

    Args:
        folder: the folder, which is created if it does not exist.
        witness: the witness.
        script: its script; default none.
        number: which of the breaches of its law by its subject it shows; default the first.
    """
    name = _name(witness, number)
    if script:
        replace_text(folder / f"{name}.py", script)
    path = folder / f"{name}.json"
    replace_text(path, json.dumps(witness.content(), indent=1) + "\n")
    return path


def forget(folder: Path, witness: Witness, *, number: int) -> None:
    """Remove what an earlier run wrote of the breach with this number, and of those after it."""
    while (path := folder / f"{_name(witness, number)}.json").exists():
        path.unlink()
        path.with_name(f"{_name(witness, number)}.py").unlink(missing_ok=True)
        number += 1


def _name(witness: Witness, number: int) -> str:
    name = re.sub(r"[^\w.\[\]-]", "_", f"{witness.law}[{witness.subject}]")
    return f"{name}-{number}" if number > 1 else name


def read(path: Path) -> Witness:
    """Read a witness.

    Raises:
        BadWitness: the file cannot be read, or is not a witness of this format.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as raised:
        raise BadWitness(f"{path}: cannot be read: {raised.strerror}") from raised
    except ValueError as raised:
        raise BadWitness(f"{path}: not valid JSON: {raised}") from raised
    _check(path, content)
    return from_content(content)


def from_content(content: Mapping[str, Any]) -> Witness:
    """Return the witness with this content, as returned by `Witness.content`."""
    recipe = Recipe(
        tuple(content["definitions"]),
        tuple(content["statements"]),
        content["expression"],
        frozenset(content["features"]),
    )
    text = {name: content[name] for name in ("law", "subject", "difference", "key")}
    return Witness(recipe=recipe, versions=content["versions"], **text)


def _check(path: Path, content: Any) -> None:
    if not isinstance(content, dict):
        raise BadWitness(f"{path}: is not a witness; it must be an object with {', '.join(_KEYS)}")
    if content.get("format") != FORMAT:
        raise BadWitness(f"{path}: format {content.get('format')!r}; this release reads {FORMAT}")
    wanted = {**dict.fromkeys(_TEXT, str), **dict.fromkeys(_LISTS, list), "versions": dict}
    for name, kind in wanted.items():
        if not isinstance(content.get(name), kind):
            raise BadWitness(f"{path}: {name!r} must be a {kind.__name__}")


def find(reference: str) -> Witness:
    """Return the witness in a file, of a known departure, or the first of a finding.

    Raises:
        BadWitness: no file, finding or known departure has this name.
    """
    path = Path(reference)
    if path.suffix == ".json" or path.exists():
        return read(path)
    if found := departure_named(reference):
        return witness_of_departure(found)
    raise BadWitness(f"{reference!r} is not a file, a finding or a known departure")


def witness_of_departure(found: Departure) -> Witness:
    """Return the witness of a known departure."""
    return Witness(found.law, found.subject, found.recipe)


def in_folder(folder: Path) -> Iterator[Path]:
    """Return the witness files of a report folder, or of any folder and its subfolders.

    Raises:
        BadWitness: the folder has no witness.
    """
    own = folder / "witnesses"
    found = own if own.is_dir() else folder
    paths = sorted(found.rglob("*.json")) if found.is_dir() else []
    if not paths:
        raise BadWitness(f"{folder}: contains no witnesses; `pytest --report DIR` writes them")
    yield from paths
