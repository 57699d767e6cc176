"""Checks known departures: syntax of the files, names of laws and subjects, versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .jax_backend import jax_imports
from .results import Result, note, ok, problem, reason

_MOST_NAMES = 5


def check_known(files: Sequence[str]) -> Iterator[Result]:
    """Check the departures that ship with the suite, then those in users' files.

    Args:
        files: the files of `--known`.
    """
    if not jax_imports():
        return
    try:
        from treelaws.core.departures import known
        from treelaws.findings.subject_names import register_named
        from treelaws.laws import all_laws
        from treelaws.subjects.registry import subjects

        laws = all_laws()
        names = [found.name for found in subjects()]
        shipped = known.departures()
    except Exception as raised:
        yield problem("laws", f"cannot be loaded: {reason(raised)}")
        return
    yield ok("laws", f"{len(laws)} on {len(names)} subjects")
    applying = sum(found.applies for found in shipped)
    left = len(shipped) - applying
    told = f"{applying} apply to the installed versions, {left} to other versions"
    yield ok("known departures", f"{len(shipped)} ship with the suite: {told}")
    for file in files:
        try:
            added = known.read(Path(file))
            known.add(Path(file))
        except known.BadKnown as raised:
            yield problem("--known", str(raised))
            continue
        unmatched = [found.name for found in added if not found.applies]
        told = f"{len(added) - len(unmatched)} of {len(added)} apply to the installed versions"
        if unmatched:
            more = ", ..." if len(unmatched) > _MOST_NAMES else ""
            shown = ", ".join(unmatched[:_MOST_NAMES])
            yield note(file, f"{told}; {len(unmatched)} do not: {shown}{more}")
        else:
            yield ok(file, told)
    for message in known.unknown_laws(laws):
        yield problem("--known", f"{message}; `python -m treelaws laws` lists laws")
    register_named()
    names = [found.name for found in subjects()]
    for message in known.unknown_subjects(names):
        # Test files may register subjects, and only pytest imports them.
        yield note("--known", f"{message}; pytest rejects it unless a test file registers it")
