"""Makes and keeps virtual environments with chosen releases, in which the suite can run.

    wanted = Wanted(("equinox==0.12.0",), extra=("jax==0.5.3",), python="3.11")
    there = environment(wanted)
    if there.problem:
        print(f"{wanted}: {there.problem}")
    else:
        ended = there.run(["-m", "pytest", "-p", "treelaws.plugin", "--pyargs", "treelaws"])
        print(ended.code, ended.out)

Other packages resolve as of the upload date of the newest release that is named by `==` or `>=`.
The tools of the suite are as new as the libraries allow. The suite is not installed: a run that
needs it gets its two packages on the path.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .folders import cache_folder, suite_folder
from .index import Release, releases, uploaded
from .installing import TOOLS, CannotInstall, install
from .interpreters import interpreter
from .processes import Ended, run
from .requirements import BadRequest, exact, named, requirement

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

# Increased when older environments must not be used again.
_FORMAT = 1
_MARK = "environment.json"
# Variables that would give a run other packages or options.
_HIDDEN = ("PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "PYTEST_ADDOPTS", "PYTEST_PLUGINS")
_ABANDONED = 3600.0


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
        """Name of its folder, different for each request."""
        version = interpreter(self.python).version
        asked = [_FORMAT, TOOLS, version, sorted(self.pins), sorted(self.extra)]
        key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:12]
        pins = [re.sub(r"[^\w.]+", "-", text) for text in self.pins[:2]]
        return "-".join([*pins, key])


@dataclasses.dataclass(frozen=True)
class Environment:
    """An environment, or the reason why it cannot be made.

    Args:
        wanted: the request.
        folder: its folder.
        versions: installed versions by package, in lower case with hyphens.
        problem: why it could not be made; empty if it can be used.
    """

    wanted: Wanted
    folder: Path
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    problem: str = ""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return python_in(self.folder)

    def run(
        self,
        args: Sequence[str],
        timeout: float = 600.0,
        *,
        suite: bool = True,
        folder: Path | None = None,
    ) -> Ended:
        """Run its interpreter; the result also describes failures.

        Args:
            args: arguments of the interpreter, such as `["-m", "treelaws", "laws"]`.
            timeout: seconds after which it and its child processes are stopped; default: 600.
            suite: let it import the suite; default `True`.
            folder: working directory; default: an empty folder that is removed afterwards.
        """
        if self.problem:
            return Ended(None, "", self.problem)
        variables = {name: text for name, text in os.environ.items() if name not in _HIDDEN}
        variables.pop("PYTHONPATH", None)
        if suite:
            variables["PYTHONPATH"] = str(suite_folder())
        command = [str(self.python), *args]
        if folder is not None:
            return run(command, timeout, variables, folder)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
            return run(command, timeout, variables, Path(empty))


def environment(wanted: Wanted, *, cache: Path | None = None, fresh: bool = False) -> Environment:
    """Return an environment, which is made unless it exists.

    Args:
        wanted: the request.
        cache: folder for environments; default: `cache_folder() / "environments"`.
        fresh: make it again even if it exists.

    Returns:
        The environment; if it cannot be made, its `problem` says why.

    Raises:
        BadRequest: the Python does not exist, or the extra `environments` is not installed.
    """
    # Absolute, since runs have other working directories.
    folder = (cache or cache_folder() / "environments").absolute() / wanted.name
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    if (versions := _finished(folder)) is None:
        try:
            versions = _make(wanted, folder)
        except CannotInstall as raised:
            return Environment(wanted, folder, problem=str(raised))
    return Environment(wanted, folder, versions)


def _finished(folder: Path) -> dict[str, str] | None:
    try:
        versions = json.loads((folder / _MARK).read_text(encoding="utf-8"))["versions"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # A removed Python leaves a broken link.
    return versions if python_in(folder).exists() else None


def _make(wanted: Wanted, folder: Path) -> dict[str, str]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f"{folder.name}.*"):
        if time.time() - left.stat().st_mtime > _ABANDONED:
            shutil.rmtree(left, ignore_errors=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        versions = install(
            unfinished, interpreter(wanted.python), (*wanted.pins, *wanted.extra), _limit(wanted)
        )
        content = {"wanted": dataclasses.asdict(wanted), "versions": versions}
        (unfinished / _MARK).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        # Another process may have finished first and use its own.
        if _finished(folder) is None:
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
    except OSError as raised:
        if _finished(folder) is None:
            raise CannotInstall(f"{folder} cannot be written: {raised.strerror}") from raised
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return _finished(folder) or {}


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


def python_in(folder: Path) -> Path:
    """Return the path of the interpreter of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
