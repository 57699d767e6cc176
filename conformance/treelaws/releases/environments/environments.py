"""Runs Python with chosen releases, beside which the suite can run; `uv run` installs them.

    wanted = Wanted(("equinox==0.12.0",), extra=("jax==0.5.3",), python="3.11")
    there = environment(wanted)
    if there.problem:
        print(f"{wanted}: {there.problem}")
    else:
        ended = there.run(["-m", "pytest", "-p", "treelaws.plugin", "--pyargs", "treelaws"])
        print(ended.code, ended.out)

Other packages resolve as of the upload date of the newest release that is named by `==` or `>=`.
The tools of the suite are as new as the libraries allow. The resolved versions are kept in a file,
so the next run has the same. The suite is not installed: a run that needs it gets its two packages
on the path.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from treelaws.core.files import replace_text

from .folders import cache_folder, suite_folder
from .index import Release, releases, uploaded
from .interpreters import interpreter
from .processes import Ended, run
from .requirements import BadRequest, exact, named, requirement
from .resolving import TOOLS, CannotInstall, install, resolve, started, variables

__all__ = [
    "BadRequest",
    "Ended",
    "Environment",
    "Release",
    "Wanted",
    "cache_folder",
    "environment",
    "releases",
]

# Increased when older lists must not be used again.
_FORMAT = 2


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The request for an environment.

    Args:
        pins: exact versions of the packages under test, such as `"equinox==0.12.0"`.
        extra: further requirements, exact or not, such as `"jax==0.5.3"` or `"optax"`.
        python: version of a Python or path of its executable; default the running one.

    Raises:
        BadRequest: a pin is not exact, or a requirement is not valid.
    """

    pins: tuple[str, ...]
    extra: tuple[str, ...] = ()
    python: str = ""

    def __post_init__(self) -> None:
        for pin in self.pins:
            if exact(pin) is None:
                raise BadRequest(
                    f"{pin!r} does not name exactly one version; write for example 'jax==0.5.3'"
                )
        for text in self.extra:
            requirement(text)

    def __str__(self) -> str:
        parts = [text.replace("==", " ") for text in (*self.pins, *self.extra)]
        return ", ".join([*parts, f"Python {self.python}"] if self.python else parts)

    @property
    def name(self) -> str:
        """Name of its list of versions, different for each request."""
        version = interpreter(self.python).version
        asked = [_FORMAT, TOOLS, version, sorted(self.pins), sorted(self.extra)]
        key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:12]
        pins = [re.sub(r"[^\w.]+", "-", text) for text in self.pins[:2]]
        return "-".join([*pins, key])


@dataclasses.dataclass(frozen=True)
class Environment:
    """A Python with resolved versions, or the reason why there is none.

    Args:
        wanted: the request.
        file: requirements file with the resolved versions.
        versions: the versions by package, in lower case with hyphens.
        problem: why it cannot be used; empty if it can.
    """

    wanted: Wanted
    file: Path
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    problem: str = ""

    @property
    def command(self) -> list[str]:
        """The words that start its interpreter; they need `variables`."""
        return started(self.file, interpreter(self.wanted.python).path)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables for `command`, without a path to the suite."""
        return variables()

    def run(
        self,
        args: Sequence[str],
        timeout: float = 600.0,
        *,
        suite: bool = True,
        folder: Path | None = None,
        more: Mapping[str, str] | None = None,
    ) -> Ended:
        """Run its interpreter; the result also describes failures.

        If signal `n` ended it, the exit code is `128 + n`.

        Args:
            args: arguments of the interpreter, such as `["-m", "treelaws", "laws"]`.
            timeout: seconds after which it and its child processes are stopped; default: 600.
            suite: let it import the suite; default `True`.
            folder: working directory; default: an empty folder that is removed afterwards.
            more: further environment variables.
        """
        if self.problem:
            return Ended(None, "", self.problem)
        path = {"PYTHONPATH": str(suite_folder())} if suite else {}
        command, given = [*self.command, *args], {**self.variables, **path, **(more or {})}
        if folder is not None:
            return run(command, timeout, given, folder)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
            return run(command, timeout, given, Path(empty))


def environment(wanted: Wanted, *, cache: Path | None = None, fresh: bool = False) -> Environment:
    """Resolve a request unless that was done before, and let uv install the versions.

    Args:
        wanted: the request.
        cache: folder for lists of versions; default: `cache_folder() / "environments"`.
        fresh: resolve even if there is a list.

    Returns:
        The environment; if it cannot be used, its `problem` says why.

    Raises:
        BadRequest: the Python does not exist, or the extra `environments` is not installed.
    """
    # Absolute, since runs have other working directories.
    file = (cache or cache_folder() / "environments").absolute() / f"{wanted.name}.txt"
    python = interpreter(wanted.python).path
    cure = ""
    try:
        if fresh or not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            requirements = (*wanted.pins, *wanted.extra)
            replace_text(file, resolve(file.parent, python, requirements, _limit(wanted)))
        else:
            cure = f"; if the index no longer has a version in {file}, remove that file"
        # Another process may have replaced it, and runs read the file.
        versions = _versions(file.read_text(encoding="utf-8"))
        install(file, python)
    except CannotInstall as raised:
        return Environment(wanted, file, problem=f"{raised}{cure}")
    except OSError as raised:
        return Environment(wanted, file, problem=f"{file} cannot be written: {raised.strerror}")
    return Environment(wanted, file, versions)


def _versions(text: str) -> dict[str, str]:
    pins = (line.partition("==") for line in text.splitlines())
    return {name: version for name, _, version in pins if version}


def _limit(wanted: Wanted) -> datetime.datetime | None:
    """Return the latest upload date of other packages, or `None` for no limit."""
    releases_named = [one for text in (*wanted.pins, *wanted.extra) for one in named(text)]
    try:
        times = [uploaded(*one) for one in releases_named]
    except BadRequest as raised:
        raise CannotInstall(str(raised)) from raised
    known = [moment for moment in times if moment is not None]
    # The packages of one release are seldom uploaded in the same hour.
    return max(known) + datetime.timedelta(days=1) if known else None
