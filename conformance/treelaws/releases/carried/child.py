"""Writes or reads the cases of laws with the installed release; a process of its own runs this.

    python -m treelaws.releases.carried.child write FOLDER EXAMPLES SEED SUBJECT:LAW ...
    python -m treelaws.releases.carried.child read FOLDER JOURNAL

Both releases build a case from the same text. The law itself compares what was written with what
the reading release makes of that text.
"""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis_pytrees import Recipe
from treelaws.compat import devices
from treelaws.core import conditions
from treelaws.core.law import Case
from treelaws.core.mismatch import Mismatch, first_line
from treelaws.core.object_addresses import without_addresses
from treelaws.core.search import draw_cases
from treelaws.laws import law_named
from treelaws.laws._carried import carrying
from treelaws.subjects.registry import subject as subject_named

from .cases import (
    CASES,
    DIED,
    FAILS,
    LOADS,
    NOT_BUILT,
    OWN,
    UNCLEAR,
    WRITTEN,
    WRONG,
    Carried,
    cases_in,
)
from .dtypes import unchanged_dtypes
from .journal import Journal

# Errors by which Python says that code met what it did not expect.
_UNCLEAR = (AttributeError, KeyError, IndexError, AssertionError, NameError, RecursionError)
# Where a module is on this machine.
_PLACE = re.compile(r" from '/[^']*'")
# Releases of JAX draw other random numbers; `numbered_arrays` replaces them.
_RANDOM = re.compile(r"jax\.random\.|Rngs\(")


def _drawn(asked: Sequence[str], examples: int, seed: int) -> Iterator[Carried]:
    for text in asked:
        name, _, law_id = text.rpartition(":")
        law, subject = law_named(law_id), subject_named(name)
        if subject.absent or subject.missing(law.needs):
            continue
        found = dict.fromkeys(draw_cases(law, subject, examples, start=seed))
        yield from (Carried(law.id, name, recipe) for recipe in found if _repeats(recipe))


def _repeats(recipe: Recipe) -> bool:
    """Return whether another release builds the same values from a recipe."""
    text = "\n".join((*recipe.statements, recipe.expression))
    numbered = any("def numbered_arrays" in one for one in recipe.definitions)
    return not conditions.unmet(recipe) and (numbered or not _RANDOM.search(text))


def write(folder: Path, examples: int, seed: int, asked: Sequence[str]) -> None:
    """Write the cases of laws, and what each law writes; go on where a process has died.

    Args:
        folder: takes the files; it exists.
        examples: number of cases that are drawn for each law and subject.
        seed: of the draws.
        asked: subjects and ids of laws, such as `"equinox:equinox.carried.a_file_loads"`.
    """
    if not (folder / CASES).exists():
        lines = "".join(f"{one.line()}\n" for one in _drawn(asked, examples, seed))
        unfinished = folder / f"{CASES}.unfinished"
        unfinished.write_text(lines, encoding="utf-8")
        unfinished.replace(folder / CASES)
    _each(Journal(folder / WRITTEN), enumerate(cases_in(folder)), _written)


def _written(case: int, one: Carried) -> dict[str, Any]:
    law, subject = law_named(one.law), subject_named(one.subject)
    held: list[bytes] = []
    try:
        with carrying(lambda data: (held.append(data), data)[1]):
            law(subject.lib, Case(one.recipe, subject.namespace))
    except Exception as raised:
        return {"problem": told(raised)}
    (data,) = held
    return {"data": base64.b64encode(data).decode()}


def read(folder: Path, path: Path) -> None:
    """Read what another release wrote; go on where a process has died.

    Args:
        folder: the files of the other release.
        path: the journal of the outcomes.
    """
    ended, _ = Journal(folder / WRITTEN).read()
    written = {case: told["data"] for case, told in ended.items() if "data" in told}
    cases = ((case, one) for case, one in enumerate(cases_in(folder)) if case in written)
    journal = Journal(path)

    def outcome(case: int, one: Carried) -> dict[str, Any]:
        return _outcome(one, base64.b64decode(written[case]), lambda: journal.reading(case))

    _each(journal, cases, outcome)


def _outcome(one: Carried, data: bytes, begin: Callable[[], None]) -> dict[str, Any]:
    law, subject, recipe = law_named(one.law), subject_named(one.subject), one.recipe
    # Recipes use modules that only the library under test loads.
    assert subject.lib
    try:
        Case(recipe, subject.namespace)
    except Exception as raised:
        return {"outcome": NOT_BUILT, "told": told(raised)}
    try:
        law(subject.lib, Case(recipe, subject.namespace))
    except Exception as raised:
        return {"outcome": OWN, "told": told(raised)}
    try:
        begin()
        with unchanged_dtypes(), carrying(lambda _: data):
            law(subject.lib, Case(recipe, subject.namespace))
    except Mismatch as raised:
        return {"outcome": WRONG, "told": told(raised), "aspect": raised.aspect}
    except Exception as raised:
        unclear = isinstance(raised, _UNCLEAR) or not str(raised).strip()
        return {"outcome": UNCLEAR if unclear else FAILS, "told": told(raised)}
    return {"outcome": LOADS}


def told(raised: BaseException) -> str:
    """Return a difference, or an error with its causes on one line."""
    if isinstance(raised, Mismatch):
        return without_addresses(str(raised).strip())
    text = f"{type(raised).__name__}: {_PLACE.sub('', first_line(raised))}"
    return text if raised.__cause__ is None else f"{text}, since {told(raised.__cause__)}"


def ends(journal: Journal, died: Iterable[int]) -> dict[int, str]:
    """Return the outcomes of cases in which a process died: what another wrote, or its own law.

    Args:
        journal: the journal of the process.
        died: the cases.
    """
    reached = journal.reached()
    return {case: DIED if case in reached else OWN for case in died}


def _each(
    journal: Journal,
    cases: Iterable[tuple[int, Carried]],
    judge: Callable[[int, Carried], Mapping[str, Any]],
) -> None:
    ended, died = journal.read()
    for case, outcome in ends(journal, died).items():
        journal.ended(case, {"outcome": outcome, "problem": "the process died"})
    done = {*ended, *died}
    for case, one in cases:
        if case not in done:
            journal.begun(case)
            journal.ended(case, judge(case, one))


def main(words: Sequence[str]) -> None:
    """Write or read, by the words of the command line."""
    devices.ask()
    mode, folder, *rest = words
    if mode == "write":
        write(Path(folder), int(rest[0]), int(rest[1]), rest[2:])
    else:
        read(Path(folder), Path(rest[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
