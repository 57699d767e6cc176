"""Checks the active profile and the example database of Hypothesis."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treelaws.compat import requirements

from .results import Result, note, ok

# Register strategies or an executor, and change no output.
_HARMLESS = {"jaxtyping", "trio"}


def check_hypothesis(config: Any) -> Iterator[Result]:
    """Check the settings that the laws start from.

    Args:
        config: the pytest config, which may select a profile.
    """
    from hypothesis import settings

    active = settings.get_current_profile_name()
    asked = config.getoption("hypothesis_profile", None)
    if asked:
        told = f"--hypothesis-profile {asked} does not apply to the laws; use --laws-profile"
        yield note("Hypothesis profile", told)
    elif active != "default":
        because = _ci_variables() if active == "ci" else ""
        told = f"{active!r} is active{because}; the laws use --laws-profile"
        cure = ", and --laws-profile ci gives the same inputs in every run"
        yield note("Hypothesis profile", told + (cure if active == "ci" else ""))
    else:
        yield ok("Hypothesis profile", "default")
    yield _database(settings.get_profile("default").database)
    for name, package in requirements.plugins("hypothesis").items():
        if package.lower() not in _HARMLESS:
            told = f"{package} extends Hypothesis ({name}); HYPOTHESIS_NO_PLUGINS=1 turns it off"
            yield note("Hypothesis plugin", told)


def _ci_variables() -> str:
    # Private; without it the line just omits the variables.
    try:
        from hypothesis._settings import _CI_VARS
    except ImportError:
        return ""
    found = [
        name
        for name, value in _CI_VARS.items()
        if name in os.environ and value in (None, os.environ[name])
    ]
    return f" because {', '.join(found)} is set" if found else ""


def _database(database: Any) -> Result:
    about = "Hypothesis database"
    path = getattr(database, "path", None)
    if path is None:
        told = f"{type(database).__name__}: inputs that broke laws may be lost when the run ends"
        return note(about, f"{told}; run in a writable folder")
    folder = Path(path).absolute()
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    if not os.access(existing, os.W_OK):
        told = f"{folder} cannot be written: the next run does not start with failing inputs"
        return note(about, f"{told}; run in a writable folder")
    return ok(about, str(folder))
