"""Installs releases into a new virtual environment, and the tools of the suite beside them."""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from .index import certificates, index_address
from .interpreters import Interpreter
from .requirements import tool

# Dependencies of the suite besides JAX; they may be newer than the releases under test.
TOOLS = (
    "hypothesis>=6.100",
    "jinja2>=3.1",
    "markupsafe>=2.1",
    "numpy>=1.24",
    "packaging>=23",
    "pytest>=8.4",
    "pytest-xdist>=3.6",
    "tomli>=2; python_version < '3.11'",
    "tomlkit>=0.12",
)
_SECONDS = 1800.0
_LONGEST = 400
_NOISE = ("Using ", "Resolved ", "Prepared ", "warning:", "hint:", "Caused by:")


class CannotInstall(Exception):
    """Releases cannot be installed; the text says why."""


def install(
    folder: Path,
    python: Interpreter,
    requirements: Iterable[str],
    before: datetime.datetime | None,
) -> dict[str, str]:
    """Make a virtual environment and install into it.

    Args:
        folder: folder of the environment; it may exist if it is empty.
        python: the interpreter of the environment.
        requirements: requirements to install.
        before: ignore later uploads; `None` for no limit.

    Returns:
        The installed versions by package.

    Raises:
        CannotInstall: the environment cannot be made, or the requirements cannot be met.
        BadRequest: the extra `environments` is not installed.
    """
    made = ("venv", "--allow-existing", "--relocatable", "--no-project", "--python", python.path)
    _uv(folder, *made, str(folder))
    limit = ["--exclude-newer", before.strftime("%Y-%m-%dT%H:%M:%SZ")] if before else []
    # Building a source distribution takes minutes and depends on the compiler.
    _uv(folder, *_INSTALL, "--no-build", *limit, *requirements)
    # The tools must not change the versions of the libraries.
    libraries = "".join(f"{name}=={version}\n" for name, version in _versions(folder).items())
    with tempfile.TemporaryDirectory() as kept:
        constraints = Path(kept, "libraries.txt")
        constraints.write_text(libraries, encoding="utf-8")
        _uv(folder, *_INSTALL, "--no-build", "--constraints", str(constraints), *TOOLS)
    return _versions(folder)


_INSTALL = ("pip", "install")


def _versions(folder: Path) -> dict[str, str]:
    found = json.loads(_uv(folder, "pip", "list", "--format", "json"))
    return {entry["name"].lower().replace("_", "-"): entry["version"] for entry in found}


def _uv(folder: Path, *words: str) -> str:
    command = [tool("uv").find_uv_bin(), *words, "--no-progress", "--color", "never"]
    try:
        ended = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            env=_variables(folder),
            cwd=folder,
        )
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"installing took longer than {_SECONDS:g} seconds") from None
    if ended.returncode != 0:
        raise CannotInstall(_reason(ended.stderr))
    return ended.stdout


def _variables(folder: Path) -> dict[str, str]:
    """Return the environment variables by which uv installs into the folder and nowhere else."""
    variables = {**os.environ, "VIRTUAL_ENV": str(folder)}
    for name in ("UV_EXCLUDE_NEWER", "UV_PYTHON", "UV_PROJECT_ENVIRONMENT", "UV_SYSTEM_PYTHON"):
        variables.pop(name, None)
    if address := index_address():
        variables["UV_DEFAULT_INDEX"] = address
        variables.pop("UV_INDEX_URL", None)
    if bundle := certificates():
        variables["SSL_CERT_FILE"] = bundle
    else:
        # Releases of uv read one or the other name of this setting.
        variables |= {"UV_NATIVE_TLS": "true", "UV_SYSTEM_CERTS": "true"}
    return variables


def _reason(text: str) -> str:
    """Return the message of uv on one line, without frames and hints."""
    lines = (re.sub(r"^\W+", "", line).strip() for line in text.splitlines())
    kept = [line for line in lines if line and not line.startswith(_NOISE)]
    reason = " ".join(kept).removeprefix("error: ").replace(" cause: ", ": ")
    return reason[:_LONGEST] or "uv failed and said nothing"
