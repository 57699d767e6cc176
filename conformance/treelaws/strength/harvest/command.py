"""`python -m treelaws harvest`: see how other projects' tests call the libraries."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from treelaws.compat import version
from treelaws.core.errors import BadInput
from treelaws.strength.coverage.recorder import Calls, joined
from treelaws.strength.coverage.table import current, read

from . import record
from .suites import SUITES, Suite

_PLUGIN = "treelaws.pytest_plugin.counting.harvesting"
# Without the working directory among the paths, where the repository has the library.
_PYTEST = "import sys; sys.path.pop(0); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
_OPEN, _COMPLETE = 1, 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of the command."""
    parser.add_argument(
        "--library",
        action="append",
        default=[],
        help=f"whose tests run: {', '.join(SUITES)}; repeatable; default: all",
    )
    parser.add_argument(
        "--sources",
        type=Path,
        metavar="FOLDER",
        help="folder with a clone of each repository, named as the library; default: clone them",
    )
    parser.add_argument("--record", action="store_true", help="write strength/harvest/harvest.json")


def run(options: argparse.Namespace) -> int:
    """Run the tests of libraries, and print which kinds of argument they alone pass.

    Returns:
        0 if each has a reason, else 1.

    Raises:
        BadInput: an option is invalid, or a repository cannot be cloned.
    """
    for name in options.library:
        if name not in SUITES:
            raise BadInput(f"--library {name!r} is not known; choose from {', '.join(SUITES)}")
    libraries = options.library or list(SUITES)
    with tempfile.TemporaryDirectory() as folder:
        calls = joined(
            _counted(SUITES[name], _sources(name, options.sources, Path(folder)))
            for name in libraries
        )
    if options.record:
        record.write(calls)
    found = [
        told for entries in read().values() for told in record.open_kinds(current(entries.values()))
    ]
    print(f"{len(found)} kinds of argument without a reason, which no law passes")
    for told in found:
        print(f"  {told}")
    return _OPEN if found else _COMPLETE


def _sources(name: str, folder: Path | None, new: Path) -> Path:
    """Return the folder with the repository of a library at its installed release."""
    if folder is not None:
        if not (folder / name).is_dir():
            raise BadInput(f"--sources {folder}: has no folder {name!r}")
        return (folder / name).absolute()
    suite, tag = SUITES[name], SUITES[name].tag.format(version(name))
    command = ["git", "clone", "--quiet", "--depth", "1", "--branch", tag, suite.repository]
    try:
        done = subprocess.run(
            [*command, str(new / name)], check=False, capture_output=True, text=True
        )
    except FileNotFoundError:
        raise BadInput("git is not installed; give clones with --sources") from None
    if done.returncode:
        told = done.stderr.strip().splitlines() or [f"git ended with {done.returncode}"]
        raise BadInput(f"{suite.repository} at {tag}: {told[-1]}")
    return new / name


def _counted(suite: Suite, folder: Path) -> Calls:
    """Return how the tests of a suite call the public functions; failed tests count, too."""
    with tempfile.TemporaryDirectory() as output:
        file = Path(output, "calls.json")
        paths = [path for path in suite.paths if (folder / path).exists()]
        ignored = [f"--ignore={path}" for path in suite.without]
        if suite.among:
            folder, paths, ignored = _copied(suite, folder, Path(output, "tests")), ["."], []
        command = [sys.executable, "-c", _PYTEST, "-q", "-p", _PLUGIN, "--harvest", str(file)]
        command += ["--import-mode=importlib", "--continue-on-collection-errors"]
        command += ["-p", "no:cacheprovider", *ignored, *paths]
        subprocess.run(command, check=False, cwd=folder, stdout=sys.stderr)
        if not file.exists():
            raise BadInput(f"{suite.repository}: pytest wrote no counts; its output is above")
        return json.loads(file.read_text(encoding="utf-8"))


def _copied(suite: Suite, folder: Path, target: Path) -> Path:
    """Copy the tests of a suite into one folder, which has no other module of the library."""
    target.mkdir()
    for path in suite.paths:
        for file in (folder / path).rglob("*_test.py"):
            name = file.relative_to(folder).as_posix()
            if not name.startswith(tuple(suite.without)):
                shutil.copy(file, target / name.replace("/", "_"))
    return target
