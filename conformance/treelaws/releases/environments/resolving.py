"""Resolves requirements to a list of versions, and starts Python with a list by `uv run`."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from .index import certificates, index_address
from .requirements import tool

# Dependencies of the suite besides JAX; they may be newer than the releases under test.
TOOLS = (
    "hypothesis>=6.100",
    "filelock>=3.12",
    "jinja2>=3.1",
    "markupsafe>=2.1",
    "numpy>=1.24",
    "packaging>=23",
    "pytest>=8.4",
    "pytest-xdist>=3.6",
    "tomli>=2; python_version < '3.11'",
    "tomlkit>=0.12",
)
# Variables that would give a run other packages, another Python or other options.
_HIDDEN = (
    *("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "VIRTUAL_ENV"),
    *("PYTEST_ADDOPTS", "PYTEST_PLUGINS"),
    *("UV_ENV_FILE", "UV_EXCLUDE_NEWER", "UV_PROJECT_ENVIRONMENT", "UV_PYTHON"),
    "UV_SYSTEM_PYTHON",
)
_SECONDS = 1800.0
_LONGEST = 400
_NOISE = ("Using ", "Resolved ", "Prepared ", "warning:", "hint:", "Caused by:")


class CannotInstall(Exception):
    """Releases cannot be installed; the text says why."""


def resolve(
    folder: Path, python: str, requirements: Iterable[str], before: datetime.datetime | None
) -> str:
    """Return lines such as `jax==0.5.3` for requirements, what they need, and the tools.

    Args:
        folder: an existing folder, from which uv looks for its settings.
        python: path of the Python that will have them.
        requirements: the requirements.
        before: ignore later uploads, except of the tools; `None` for no limit.

    Raises:
        CannotInstall: the requirements cannot be met.
        BadRequest: the extra `environments` is not installed.
    """
    # Building a source distribution takes minutes and depends on the compiler.
    words = ["pip", "compile", "--no-build", "--no-annotate", "--no-header", "--python", python]
    limit = ["--exclude-newer", before.strftime("%Y-%m-%dT%H:%M:%SZ")] if before else []
    libraries = _said([*_uv(folder), *words, *limit, "-"], "\n".join(requirements))
    # The tools must not change the versions of the libraries.
    return _said([*_uv(folder), *words, "-"], "\n".join([libraries, *TOOLS]))


def install(versions: Path, python: str) -> None:
    """Let uv install a list of versions, and check that Python starts with them.

    Args:
        versions: the file of the list.
        python: path of the Python.

    Raises:
        CannotInstall: they cannot be installed, or Python does not start.
        BadRequest: the extra `environments` is not installed.
    """
    # As a run would: what uv has needs no network.
    with contextlib.suppress(CannotInstall):
        _said([*started(versions, python), "-c", ""])
        return
    _said([*started(versions, python, ()), "-c", ""])


def started(versions: Path, python: str, options: Sequence[str] = ("--offline",)) -> list[str]:
    """Return the words that start Python with an installed list of versions and nothing else.

    Args:
        versions: the file of the list.
        python: path of the Python.
        options: of `uv run`; default: ask no index, since `install` got everything.

    Raises:
        BadRequest: the extra `environments` is not installed.
    """
    options = [*options, "--isolated", "--no-project", "--no-build", "--python", python]
    return [*_uv(versions.parent), "run", *options, "--with-requirements", str(versions), "python"]


def variables() -> dict[str, str]:
    """Return the environment variables for uv and for what it starts."""
    found = {name: text for name, text in os.environ.items() if name not in _HIDDEN}
    if found.get("UV_CACHE_DIR"):
        # Runs have other working directories.
        found["UV_CACHE_DIR"] = os.path.abspath(found["UV_CACHE_DIR"])
    if address := index_address():
        found["UV_DEFAULT_INDEX"] = address
        found.pop("UV_INDEX_URL", None)
    if bundle := certificates():
        found["SSL_CERT_FILE"] = bundle
    else:
        # Releases of uv read one or the other name of this setting.
        found |= {"UV_NATIVE_TLS": "true", "UV_SYSTEM_CERTS": "true"}
    return found


def _uv(folder: Path) -> list[str]:
    # Otherwise settings of the working directory would be read.
    return [tool("uv").find_uv_bin(), "--quiet", "--color", "never", "--project", str(folder)]


def _said(command: Sequence[str], given: str = "") -> str:
    try:
        ended = subprocess.run(
            command,
            input=given,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            env=variables(),
        )
    except OSError as raised:
        raise CannotInstall(f"{command[0]} cannot be started: {raised.strerror}") from raised
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"installing took longer than {_SECONDS:g} seconds") from None
    if ended.returncode != 0:
        raise CannotInstall(_reason(ended.stderr))
    return ended.stdout


def _reason(text: str) -> str:
    """Return the message of uv on one line, without frames and hints."""
    lines = (re.sub(r"^\W+", "", line).strip() for line in text.splitlines())
    kept = [line for line in lines if line and not line.startswith(_NOISE)]
    reason = " ".join(kept).removeprefix("error: ").replace(" cause: ", ": ")
    return reason[:_LONGEST] or "uv failed and said nothing"
