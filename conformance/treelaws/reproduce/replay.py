"""Tries witnesses again with what is installed now."""

from __future__ import annotations

import re
from pathlib import Path

from treelaws.core.departures import known
from treelaws.core.failure import Breach, UnexpectedError
from treelaws.core.mismatch import first_line

from .witness import BadWitness, Witness, find, in_folder, read, witness_of

BROKEN, FIXED, CANNOT_RUN = "still broken", "fixed", "cannot run"
_CODES = {FIXED: 0, BROKEN: 1, CANNOT_RUN: 2}


def replay(reference: str) -> int:
    """Try one witness, or those in a folder, and print what became of each.

    Args:
        reference: a folder with witnesses, the file of one, or the name of a known departure.

    Returns:
        1 where one still breaks its law, 0 where all are fixed, else 2.

    Raises:
        BadWitness: there is no such witness.
    """
    folder = Path(reference)
    if folder.is_dir():
        paths = {str(path.relative_to(folder)): path for path in in_folder(folder)}
        answers = [_told(name, _replay_file(path)) for name, path in paths.items()]
    else:
        raises = next((one.raises for one in known.departures() if one.name == reference), "")
        answers = [_told(reference, replay_one(find(reference), raises))]
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
    """Say whether a witness is `"still broken"`, `"fixed"`, or `"cannot run: ..."` here.

    Args:
        witness: the input and its law.
        raises: name of the error that it is known to meet; default that is not known.
    """
    try:
        breach = witness.breach()
    except BadWitness as raised:
        return f"{CANNOT_RUN}: {raised}"
    if breach is None:
        return FIXED
    if type(breach.cause).__name__ == raises or _alike(breach, witness):
        return BROKEN
    if _asks_for_what_is_not_here(breach):
        return f"{CANNOT_RUN}: {type(breach.cause).__name__}: {first_line(breach.cause)}"
    return f"{BROKEN}, in another way" if witness.key else BROKEN


def _alike(breach: Breach, witness: Witness) -> bool:
    """Say whether a breach is most likely the one that was recorded."""
    if witness_of(breach).key != witness.key:
        return False
    # A newer release may refuse the input with the error that an older one met in the law.
    built = not (isinstance(breach, UnexpectedError) and breach.building)
    return built or _place(breach.difference) == _place(witness.difference)


def _place(difference: str) -> tuple[str, ...]:
    """Give file and function where an error was raised; lines shift from release to release."""
    found = re.search(r"^  at +(\S+):\d+ in (\S+)", difference, re.MULTILINE)
    return found.groups() if found else ()


def _asks_for_what_is_not_here(breach: Breach) -> bool:
    """Say whether a release has not what the input or the law is made of, which is no bug."""
    if not isinstance(breach, UnexpectedError):
        return False
    missing = isinstance(breach.cause, AttributeError) and str(breach.cause).startswith("module ")
    return breach.building or missing or isinstance(breach.cause, ImportError)
