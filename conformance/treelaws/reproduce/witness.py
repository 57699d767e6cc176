"""Witnesses: an input that broke a law, as a file that can be kept, replayed and reported."""

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
from treelaws.core.departures import known
from treelaws.core.errors import BadInput
from treelaws.core.failure import Breach
from treelaws.core.files import replace_text
from treelaws.core.law import Law
from treelaws.core.mismatch import Mismatch
from treelaws.core.search import run
from treelaws.core.subject import Subject
from treelaws.laws import law_named
from treelaws.subjects.registry import load as load_subject

FORMAT = 1
_TEXT = ("law", "subject", "expression", "difference", "key")
_LISTS = ("definitions", "statements", "features")
_KEYS = ("format", *_TEXT, *_LISTS, "versions")


class BadWitness(BadInput):
    """A witness cannot be read; the text says which file, what and the cure."""


@dataclasses.dataclass(frozen=True)
class Witness:
    """An input with the law that it broke.

    Args:
        law: id of the law.
        subject: name of the subject, or `package.module:object`.
        recipe: the input.
        versions: of the libraries with which it was found, by name; empty where not recorded.
        difference: what was got and wanted then.
        key: equal for witnesses of what is most likely one bug.
    """

    law: str
    subject: str
    recipe: Recipe
    versions: dict[str, str] = dataclasses.field(default_factory=dict)
    difference: str = ""
    key: str = ""

    def breach(self) -> Breach | None:
        """Try the law on it with what is installed, and give how it breaks, or `None`.

        Raises:
            BadWitness: the law or the subject does not exist here, or cannot be tried here.
        """
        law, subject = self._named()
        if reason := subject.absent or ", ".join(subject.missing(law.needs)):
            raise BadWitness(f"{self.law} cannot be tried on {self.subject} here: {reason}")
        try:
            run(law, subject, self.recipe)
        except Breach as breach:
            return breach
        return None

    def content(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
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
    """Give the witness of a breach."""
    versions = {name: compat.version(name) for name in compat.LIBRARIES}
    return Witness(
        breach.law.id,
        breach.subject.name,
        breach.recipe,
        {name: version for name, version in versions.items() if version},
        breach.difference,
        _key(breach),
    )


def _key(breach: Breach) -> str:
    # Where in a tree it shows, and with which values, differs from run to run.
    cause = breach.cause
    aspect = cause.aspect if isinstance(cause, Mismatch) else type(cause).__name__
    text = "\n".join((breach.law.id, breach.subject.base or breach.subject.name, aspect))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def write(folder: Path, witness: Witness, script: str = "") -> Path:
    """Write a witness, and the script that shows it, into a folder; give the path of the first."""
    name = re.sub(r"[^\w.\[\]-]", "_", f"{witness.law}[{witness.subject}]")
    if script:
        replace_text(folder / f"{name}.py", script)
    path = folder / f"{name}.json"
    replace_text(path, json.dumps(witness.content(), indent=1) + "\n")
    return path


def read(path: Path) -> Witness:
    """Read a witness.

    Raises:
        BadWitness: the file cannot be read, or is no witness of this format.
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
    """Give the witness with this content, as `Witness.content` gives it."""
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
        raise BadWitness(f"{path}: is no witness; it must be an object with {', '.join(_KEYS)}")
    if content.get("format") != FORMAT:
        raise BadWitness(f"{path}: format {content.get('format')!r}; this release reads {FORMAT}")
    wanted = {**dict.fromkeys(_TEXT, str), **dict.fromkeys(_LISTS, list), "versions": dict}
    for name, kind in wanted.items():
        if not isinstance(content.get(name), kind):
            raise BadWitness(f"{path}: {name!r} must be a {kind.__name__}")


def find(reference: str) -> Witness:
    """Give the witness in a file, or that of a known departure by its name.

    Raises:
        BadWitness: there is neither.
    """
    path = Path(reference)
    if path.suffix == ".json" or path.exists():
        return read(path)
    for found in known.departures():
        if found.name == reference:
            return Witness(found.law, found.subject, found.recipe)
    raise BadWitness(f"{reference!r} is neither a file nor the name of a known departure")


def in_folder(folder: Path) -> Iterator[Path]:
    """Give the files of the witnesses in a report's folder, or in any other and below it, by name.

    Raises:
        BadWitness: there is none.
    """
    own = folder / "witnesses"
    found = own if own.is_dir() else folder
    paths = sorted(found.rglob("*.json")) if found.is_dir() else []
    if not paths:
        raise BadWitness(f"{folder}: no folder with witnesses; `pytest --report DIR` writes them")
    yield from paths
