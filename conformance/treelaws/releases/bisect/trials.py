"""Runs a witness with releases, each in its own environment, and caches the answers."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from hypothesis_pytrees.core.recipe import IMPORTS, imported_names
from treelaws import compat
from treelaws.core.files import replace_text
from treelaws.core.law import Law
from treelaws.laws import law_named
from treelaws.releases.environments.environments import Ended, Wanted, environment
from treelaws.releases.environments.index import OLDEST
from treelaws.releases.environments.requirements import requirement
from treelaws.reproduce import replay
from treelaws.reproduce.replay import BROKEN, CANNOT_RUN, FIXED
from treelaws.reproduce.witness import BadWitness, Witness
from treelaws.subjects.registry import load as load_subject

from .bisection import BAD, GOOD, SKIPPED, Trial

# Libraries that laws and inputs use directly; the others come with these.
_LIBRARIES = ("jax", "equinox", "flax", "optax", "chex")
_SHOWN = [name for name in compat.LIBRARIES if name != "hypothesis"]
_SECONDS = 600.0


@dataclasses.dataclass
class Trials:
    """Trials of one witness with releases of one package.

    Args:
        reference: file of the witness, or name of a known departure.
        witness: the witness.
        package: whose releases are tried.
        pins: other packages of each environment, such as `"jax==0.4.35"`.
        python: version of a Python or path of its executable; empty for the running one.
        cache: folder for resolved versions and answers.
        fresh: forget versions and answers of earlier runs.
    """

    reference: str
    witness: Witness
    package: str
    pins: tuple[str, ...]
    python: str
    cache: Path
    fresh: bool = False

    def __post_init__(self) -> None:
        path = Path(self.reference)
        if path.suffix == ".json" or path.exists():
            self.reference = str(path.resolve())
        pinned = {self.package, *(requirement(pin).name for pin in self.pins)}
        names = {canonicalize_name(name) for name in pinned}
        # Old releases would resolve to libraries that the suite does not support.
        oldest = {name: f"{name}>={version}" for name, version in OLDEST.items()}
        needed = (oldest.get(name, name) for name in needs(self.witness) if name not in names)
        self.extra = (*self.pins, *needed)
        self.remembered = {} if self.fresh else _read(self.file)

    def __call__(self, version: str) -> Trial:
        """Run the witness with a release, or return the cached answer."""
        if version in self.remembered:
            return self.remembered[version]
        wanted = Wanted((f"{self.package}=={version}",), self.extra, self.python)
        there = environment(wanted, cache=self.cache / "environments", fresh=self.fresh)
        ended = there.run(["-m", "treelaws", "replay", self.reference], _SECONDS)
        trial = judged(ended, self.reference)
        held = {name: there.versions[name] for name in _SHOWN if name in there.versions}
        trial = dataclasses.replace(trial, versions=held)
        # A skipped release may run the next time, for example with a working network.
        if trial.answer != SKIPPED:
            self.remember(version, trial)
        return trial

    def remember(self, version: str, trial: Trial) -> None:
        """Keep the answer of a release."""
        self.remembered[version] = trial
        kept = {one: found for one, found in self.remembered.items() if found.answer != SKIPPED}
        answers = {one: dataclasses.asdict(found) for one, found in kept.items()}
        about = {"law": self.witness.law, "package": self.package, "with": self.extra}
        replace_text(self.file, json.dumps({**about, "answers": answers}, indent=1) + "\n")

    @property
    def file(self) -> Path:
        """The file of the cached answers; another law text, witness or pin means another file."""
        asked = [self.witness.content(), self.package, self.extra, self.python]
        judges = (_law(self.witness).check.__code__.co_filename, replay.__file__)
        texts = [Path(file).read_text(encoding="utf-8") for file in judges]
        text = json.dumps([asked, texts], sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        return self.cache / "bisections" / f"{self.package}-{key}.json"


def _read(path: Path) -> dict[str, Trial]:
    try:
        answers: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["answers"]
        return {version: Trial(**trial) for version, trial in answers.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Without a valid file, every trial can run again.
        return {}


def judged(ended: Ended, reference: str) -> Trial:
    """Read the answer of `python -m treelaws replay` with one witness.

    The exit code is not enough: a suite that cannot be imported exits with 1 as well.
    """
    name = f"{reference}: "
    said = [line.removeprefix(name) for line in ended.out.splitlines() if line.startswith(name)]
    answer, _, note = said[-1].partition(", ") if said else ("", "", "")
    if answer == FIXED:
        return Trial(GOOD)
    if answer == BROKEN:
        return Trial(BAD, note)
    reason = said[-1].removeprefix(f"{CANNOT_RUN}: ") if said else ended.reason
    return Trial(SKIPPED, reason)


def needs(witness: Witness) -> list[str]:
    """Return the libraries that a witness needs.

    Raises:
        BadWitness: its law or its subject does not exist.
    """
    law = _law(witness)
    try:
        subject = load_subject(witness.subject)
    except LookupError as raised:
        raise BadWitness(str(raised.args[0])) from raised
    imports = (IMPORTS[name].split()[1] for name in imported_names(witness.recipe.source()))
    names = {name.partition(".")[0] for name in (*imports, *law.needs, subject.requires)}
    return [name for name in _LIBRARIES if name in {"jax", *names}]


def _law(witness: Witness) -> Law:
    try:
        return law_named(witness.law)
    except KeyError:
        raise BadWitness(f"no law is called {witness.law!r}") from None
