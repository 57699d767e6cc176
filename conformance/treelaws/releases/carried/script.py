"""A script for an issue: one release runs it with `write`, and another with `read`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from treelaws.core.failure import Breach
from treelaws.core.mismatch import Mismatch
from treelaws.laws import law_named
from treelaws.releases.environments.processes import Ended
from treelaws.reproduce.script.writing import scripts
from treelaws.subjects.registry import subject as subject_named

from .outcomes import Outcome

# Takes the arguments of Python and a working directory.
Run = Callable[[Iterable[str], Path], Ended]


def script(outcome: Outcome, pair: str, write: Run, read: Run) -> str:
    """Return a script that fails as the case does, or an empty text if none does.

    Args:
        outcome: a case that does not load.
        pair: the two releases in words.
        write: runs the release that writes, without the suite.
        read: runs the release that reads, without the suite.
    """
    case = outcome.case
    cause = Mismatch("", outcome.aspect, "", "-") if outcome.aspect else ValueError(outcome.told)
    law = law_named(case.law)
    breach = Breach(law, subject_named(case.subject), case.recipe, cause)
    title = (
        f"{law.sentence} This does not hold for {pair}: run this file with the word `write` with "
        "the first of the two, then with the word `read` with the second, in one folder."
    )
    for text in scripts(breach, title, across=True):
        if _fails(text, write, read):
            return text
    return ""


def _fails(text: str, write: Run, read: Run) -> bool:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder, "reproducer.py")
        file.write_text(text, encoding="utf-8")
        written = write([str(file), "write"], Path(folder))
        if written.code != 0 or not Path(folder, "carried.bin").exists():
            return False
        # Within one release it holds.
        again = write([str(file), "read"], Path(folder))
        return again.code == 0 and read([str(file), "read"], Path(folder)).code not in (0, None)
