"""Reruns witnesses with the installed versions."""

from __future__ import annotations

import re
from pathlib import Path

from treelaws.core.failure import Breach, UnexpectedError
from treelaws.core.mismatch import first_line
from treelaws.reproduce.named import departure_named

from .witness import BadWitness, Witness, find, in_folder, read, witness_of

BROKEN, FIXED, CANNOT_RUN = "still broken", "fixed", "cannot run"
_CODES = {FIXED: 0, BROKEN: 1, CANNOT_RUN: 2}


def replay(reference: str) -> int:
    """Rerun one witness, or all in a folder, and print the result of each.

    Args:
        reference: a folder of witnesses, a witness file, or the name of a known departure.

    Returns:
        1 if one still breaks its law, 0 if all are fixed, else 2.

    Raises:
        BadWitness: the reference names no witness.
    """
    folder = Path(reference)
    if folder.is_dir():
        paths = {str(path.relative_to(folder)): path for path in in_folder(folder)}
        answers = [_told(name, _replay_file(path)) for name, path in paths.items()]
    else:
        known = departure_named(reference)
        answers = [_told(reference, replay_one(find(reference), known.raises if known else ""))]
    codes = {_CODES[answer.partition(":")[0].partition(",")[0]] for answer in answers}
    return 1 if 1 in codes else max(codes)


def _told(name: str, answer: str) -> str:
    print(f"{name}: {answer}", flush=True)
    return answer


def _replay_file(path: Path) -> str:
    try:
        return replay_one(read(path))
    except BadWitness as raised:
        return f"{CANNOT_RUN}: {raised}"


def replay_one(witness: Witness, raises: str = "") -> str:
    """Return `"still broken"`, `"fixed"` or `"cannot run: ..."` for a witness.

    Args:
        witness: the input and its law.
        raises: name of the error that it is known to raise; default unknown.
    """
    try:
        breach = witness.breach()
    except BadWitness as raised:
        return f"{CANNOT_RUN}: {raised}"
    if breach is None:
        return FIXED
    if type(breach.cause).__name__ == raises or _alike(breach, witness):
        return BROKEN
    if _uses_a_missing_function(breach):
        return f"{CANNOT_RUN}: {type(breach.cause).__name__}: {first_line(breach.cause)}"
    return f"{BROKEN}, in another way" if witness.key else BROKEN


def _alike(breach: Breach, witness: Witness) -> bool:
    """Return whether a breach is probably the recorded one."""
    if witness_of(breach).key != witness.key:
        return False
    # A newer release may reject the input with the error that an older one raised in the law.
    built = not (isinstance(breach, UnexpectedError) and breach.building)
    return built or _raised_at(breach.difference) == _raised_at(witness.difference)


def _raised_at(difference: str) -> tuple[str, ...]:
    """Return the file and function that raised an error; lines change between releases."""
    found = re.search(r"^  at +(\S+):\d+ in (\S+)", difference, re.MULTILINE)
    return found.groups() if found else ()


def _uses_a_missing_function(breach: Breach) -> bool:
    """Return whether a release merely lacks a function that the input or the law uses."""
    if not isinstance(breach, UnexpectedError):
        return False
    missing = isinstance(breach.cause, AttributeError) and str(breach.cause).startswith("module ")
    return breach.building or missing or isinstance(breach.cause, ImportError)
