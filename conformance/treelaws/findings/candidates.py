"""Candidates: what an entry says about a breach that is not known yet, tried before it is kept."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping

from hypothesis.errors import HypothesisException

from hypothesis_pytrees import Namespace, Recipe
from hypothesis_pytrees.core.recipe import imported_names
from treelaws import compat, laws
from treelaws.core.departures.departure import EVERY_CASE, UNREPORTED, Departure
from treelaws.core.failure import Breach
from treelaws.core.search import run
from treelaws.core.subject import Subject
from treelaws.reproduce.witness import witness_of
from treelaws.subjects.user.source_text import importing

_LAWS = f"{laws.__name__}."
# The distributions behind what recipe text, or a subject's home, is called.
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
    """An entry that only lacks its reason.

    Args:
        law: id of the law that was broken.
        subject: what broke it.
        versions: PEP 440 specifiers by package, of what is installed.
        witness: text that binds the case's names.
        raises: name of the error that it meets; empty for an ordinary breach.
        features: of the witness, sorted; without that of its subject.
        problem: why no entry can be made; empty where one can.
    """

    law: str
    subject: str
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    witness: str = ""
    raises: str = ""
    features: tuple[str, ...] = ()
    problem: str = ""

    def told(self) -> str:
        """Give it as JSON."""
        return json.dumps(dataclasses.asdict(self))

    def departure(self, name: str = "", file: str = "") -> Departure:
        """Give the entry, its reason left blank."""
        return Departure(
            name,
            self.law,
            self.subject,
            self.versions,
            UNREPORTED,
            "",
            self.witness,
            (EVERY_CASE,),
            self.raises,
            file,
        )


def candidate_of(*breaches: Breach) -> Candidate:
    """Make the candidate of the first breach whose text breaks the law again in the same way.

    Args:
        breaches: of one law by one subject, the one with the smallest input first.
    """
    law, subject = breaches[0].law, breaches[0].subject
    if not law.check.__module__.startswith(_LAWS):
        problem = "the law is none of the suite's, and a file can name those alone"
        return Candidate(law.id, subject.name, problem=problem)
    for breach in breaches:
        for text in dict.fromkeys(_texts(breach.recipe)):
            found = Candidate(
                law.id,
                subject.name,
                versions_of(subject, text),
                text,
                # What each case of the subject has narrows nothing.
                features=tuple(sorted(breach.recipe.features - {subject.kind})),
            )
            again = _breach_of(found, breach)
            if again is not None and witness_of(again).key == witness_of(breach).key:
                error = type(again.cause).__name__
                return dataclasses.replace(found, raises="" if error == "Mismatch" else error)
    problem = "the text of its input does not break the law by itself"
    return Candidate(law.id, subject.name, problem=problem)


def _breach_of(candidate: Candidate, breach: Breach) -> Breach | None:
    """Replay a candidate where nothing but its own text defines classes."""
    subject = breach.subject
    try:
        run(breach.law, subject, candidate.departure().recipe, Namespace(**subject.libraries))
    except Breach as again:
        return again
    except HypothesisException:
        # What the law assumes does not hold for it.
        return None
    return None


def _texts(recipe: Recipe) -> Iterator[str]:
    """Write a recipe as statements; the first imports what can be imported.

    A class that is imported is the one of today, so that the entry turns stale once it is mended.
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
    """Pin the installed releases that matter for a subject.

    Args:
        subject: it; what is installed from its own folder has no release, and is left out.
        text: of the witness.
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
