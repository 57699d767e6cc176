"""Candidates: entries for failures that are not known yet, each replayed before it is written."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Namespace, Recipe
from hypothesis_pytrees.core.recipe import imported_names
from treelaws import compat, laws
from treelaws.compat import environment
from treelaws.core.departures.departure import EVERY_CASE, UNREPORTED, Departure
from treelaws.core.failure import Breach
from treelaws.core.search import run
from treelaws.core.subject import Subject
from treelaws.reproduce.witness import witness_of
from treelaws.subjects.user.source_text import importing

_LAWS = f"{laws.__name__}."
# The distributions behind the names in recipe text, and behind the homes of subjects.
_PACKAGES: Mapping[str, tuple[str, ...]] = {
    "equinox": ("equinox",),
    "eqx": ("equinox",),
    "flax": ("flax",),
    "nnx": ("flax",),
    "optax": ("optax",),
    "chex": ("chex",),
    "mixed": ("equinox", "flax", "optax"),
}


@dataclasses.dataclass(frozen=True)
class Candidate:
    """An entry without its reason.

    Args:
        law: id of the failing law.
        subject: name of the subject that fails it.
        versions: PEP 440 specifiers by package, for the installed versions.
        witness: text that binds the case's names.
        raises: name of the exception that the law raises; empty if a comparison fails.
        features: features of the witness, sorted, without the one of its subject.
        problem: why no entry can be written; empty if one can.
        config: options of JAX that do not have their defaults, by name.
    """

    law: str
    subject: str
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    witness: str = ""
    raises: str = ""
    features: tuple[str, ...] = ()
    problem: str = ""
    config: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def told(self) -> str:
        """Return the candidate as JSON."""
        return json.dumps(dataclasses.asdict(self))

    def departure(self, name: str = "", file: str = "") -> Departure:
        """Return the entry with a blank reason."""
        return Departure(
            name,
            self.law,
            self.subject,
            self.versions,
            UNREPORTED,
            "",
            self.witness,
            region=(EVERY_CASE,),
            raises=self.raises,
            file=file,
            config=self.config,
        )


def candidate_of(*breaches: Breach) -> Candidate:
    """Make the candidate of the first breach whose text fails the law again in the same way.

    Args:
        breaches: of one law by one subject, the one with the smallest input first.
    """
    law, subject = breaches[0].law, breaches[0].subject
    if not law.check.__module__.startswith(_LAWS):
        problem = "the law is not part of the suite; a file can only name laws of the suite"
        return Candidate(law.id, subject.name, problem=problem)
    for breach in breaches:
        for text in dict.fromkeys(_texts(breach.recipe)):
            found = Candidate(
                law.id,
                subject.name,
                versions_of(subject, text),
                text,
                # A feature of every case cannot narrow the region.
                features=tuple(sorted(breach.recipe.features - {subject.kind})),
                config=environment.changed_options(),
            )
            again = _breach_of(found, breach)
            if again is not None and witness_of(again).key == witness_of(breach).key:
                error = type(again.cause).__name__
                return dataclasses.replace(found, raises="" if error == "Mismatch" else error)
    problem = "the text of its input alone does not fail the law"
    return Candidate(law.id, subject.name, problem=problem)


def _breach_of(candidate: Candidate, breach: Breach) -> Breach | None:
    """Replay a candidate in a namespace where only its own text defines classes."""
    subject = breach.subject
    try:
        run(breach.law, subject, candidate.departure().recipe, Namespace(**subject.libraries))
    except Breach as again:
        return again
    except HypothesisException:
        # The law does not accept this input.
        return None
    return None


def _texts(recipe: Recipe) -> Iterator[str]:
    """Write a recipe as statements: first with imports instead of definitions, then in full.

    An imported class is always the current one, so the entry turns stale once the class is fixed.
    """
    body = [*recipe.statements]
    if recipe.expression:
        body.append(f"result = {recipe.expression}")
    for definitions in (map(importing, recipe.definitions), recipe.definitions):
        parts = [one.strip("\n") for one in dict.fromkeys(definitions)]
        imports = [one for one in parts if one.startswith(("import ", "from ")) and "\n" not in one]
        others = [one for one in parts if one not in imports]
        blocks = ["\n".join(imports), *others, "\n".join(body)]
        yield "\n\n\n".join(one for one in blocks if one)


def versions_of(subject: Subject, text: str) -> dict[str, str]:
    """Return pins of the installed releases that matter for a subject.

    Args:
        subject: the subject; a package that is installed from source is left out.
        text: text of the witness.
    """
    packages = {"jax"}
    for one in (subject, subject.guest):
        if one is not None:
            packages.update(_PACKAGES.get(one.home, ()))
            module = one.name.partition(":")[0] if ":" in one.name and one.guest is None else ""
            for package in compat.distributions_of(module) if module else ():
                if not compat.built_from_source(package):
                    packages.add(package)
    for name in imported_names(text):
        packages.update(_PACKAGES.get(name, ()))
    return {package: compat.pin(package) for package in sorted(packages) if compat.version(package)}
