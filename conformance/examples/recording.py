"""`python -m examples.recording PACKAGE`: writes what breaks to `known/`, by judged causes.

Run in `conformance/`, with the package installed. Each law is tried on each instance as it stands
in the library's file, and on a few drawn ones. What no cause of the file explains is printed: judge
it, write the cause, and run this again.
"""

from __future__ import annotations

import fnmatch
import functools
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from hypothesis_pytrees import Recipe
from treelaws import Subject, register
from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.obstacles import obstacle
from treelaws.core.search import draw_cases, run
from treelaws.laws import all_laws
from treelaws.subjects.registry import subject as subject_named

from . import library as chosen
from .library import Cause, Library, libraries, packages
from .making import covered, subjects_of

# Of a type with several texts: so many cases for each, so that each is among them.
_DRAWN = 4


def breaches(subject: Subject) -> Iterator[Breach]:
    """Return the breach of each law that a node type breaks, parents before their children."""
    laws = [law for law in all_laws().values() if law.topic.family == "node" and not law.advisory]
    laws.sort(key=lambda law: (len(law.ancestors), law.topic.id != "node.flatten"))
    broken: set[Law] = set()
    for law in laws:
        if obstacle(law, subject) or covered(law, subject) or broken & set(law.ancestors):
            continue
        found = next(
            filter(None, (_tried(law, subject, one) for one in _cases(law, subject))), None
        )
        if found is not None:
            broken.add(law)
            yield found


def _cases(law: Law, subject: Subject) -> Iterator[Recipe]:
    """Return the instances as written, or drawn ones where the law changes leaves first."""
    if _changes_leaves(law):
        laws = (law, *law.ancestors)
        kinds = len(subject.kinds)
        random = draw_cases(law, subject, _DRAWN * kinds if kinds > 1 else 1)
        yield from (one for one in random if not known.covering(laws, subject, one.features))
        return
    used = set(_names(law.check.__code__))
    for kind in subject.kinds:
        text = kind.text(["1.0"] * kind.arity)
        values = {"node": text, "other": text, "tree": text, "is_leaf": "None"}
        bound = tuple(f"{name} = {value}" for name, value in values.items() if name in used)
        yield Recipe(kind.definitions, bound)
        yield Recipe(kind.definitions, (*bound, "node = copy.deepcopy(node)"))


def _names(code: CodeType) -> Iterator[str]:
    """Return the names in a function and in those inside of it."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _names(part)


@functools.cache
def _changes_leaves(law: Law) -> bool:
    """Say whether the recipes of a law define functions that make leaves fit."""
    (recipe,) = draw_cases(law, subject_named("namedtuple"), 1)
    return any(part.startswith("def ") for part in recipe.definitions)


def _tried(law: Law, subject: Subject, case: Recipe) -> Breach | None:
    try:
        run(law, subject, case)
    except Breach as breach:
        return None if getattr(breach, "building", False) else breach
    return None


def cause_of(library: Library, breach: Breach) -> Cause | None:
    """Return the first cause that explains a breach."""
    for cause in library.causes:
        law = any(fnmatch.fnmatchcase(breach.law.id, one) for one in cause.laws)
        if law and any(fnmatch.fnmatchcase(breach.subject.name, one) for one in cause.subjects):
            return cause
    return None


def entry(library: Library, cause: Cause, breach: Breach, number: int) -> str:
    """Write a known departure; the first of a cause has the reason."""
    stem = f"{library.package}_{cause.name}"
    reason = cause.reason if number == 1 else f"See {stem}_1."
    error = type(breach.cause).__name__
    witness = "\n".join((*breach.recipe.definitions, *breach.recipe.statements)).strip("\n")
    lines = [
        f"[{stem}_{number}]",
        f"law = {json.dumps(breach.law.id)}",
        f"subject = {json.dumps(breach.subject.name)}",
        f"versions = {{ {library.distribution or library.package} = '=={library.installed}' }}",
        f"issue = {json.dumps(cause.issue)}",
        f"reason = {json.dumps(reason)}",
        f"region = {json.dumps(list(cause.region))}",
        *([f"raises = {json.dumps(error)}"] if error != "Mismatch" else []),
        f"witness = '''\n{witness}\n'''",
    ]
    return "\n".join(lines)


def record(library: Library) -> list[str]:
    """Write the known departures of a library; give what no cause explains."""
    entries, unexplained = [], []
    numbers = dict.fromkeys((cause.name for cause in library.causes), 0)
    for subject in subjects_of(library):
        register(subject)
        for breach in breaches(subject):
            cause = cause_of(library, breach)
            if cause is None:
                unexplained.append(str(breach))
                continue
            numbers[cause.name] += 1
            entries.append(entry(library, cause, breach, numbers[cause.name]))
    head = f"# What {library.package} {library.installed} breaks, written by examples/recording.py."
    library.known.parent.mkdir(exist_ok=True)
    if entries:
        library.known.write_text("\n\n".join([head, *entries]) + "\n", encoding="utf-8")
        known.read(library.known)
    unused = [name for name, number in numbers.items() if not number]
    return [*unexplained, *(f"the cause {name} explains nothing" for name in unused)]


def main(names: list[str]) -> int:
    """Record the named libraries; give the exit code."""
    if unknown := [name for name in names if name not in packages()]:
        print(f"unknown {unknown[0]!r}; choose from {', '.join(packages())}", file=sys.stderr)
        return 2
    chosen.asked.extend(names)
    left = 0
    for library in libraries():
        for text in () if library.absent else record(library):
            print(f"{text}\n", flush=True)
            left += 1
    print(f"{left or 'no'} breaches without a cause")
    return 1 if left else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    raise SystemExit(main(sys.argv[1:]))
