"""Forks a process for each run of `python -m`, with the libraries and the suite imported already.

Reads lines of JSON with `module`, `arguments`, `cwd`, `environment`, `stdout` and `stderr`, and
answers each with the exit code. A run that must import the libraries itself is none for it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import importlib.util
import json
import os
import pkgutil
import runpy
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

from forked_scripts import run_in_a_fork, serve_in_a_fork
from forked_workers import fork_workers
from hypothesis import given, settings, strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from treelaws import compat
from treelaws.core.departures import known
from treelaws.reproduce.script import verifying

_LIBRARIES = ("jax", "equinox", "flax", "flax.nnx", "optax", "hypothesis")
_SUITE = ("hypothesis_pytrees", "treelaws")
# pytest warns of modules that it cannot rewrite any more, unless their docstring says this.
_NOT_REWRITTEN = "PYTEST_DONT_REWRITE"


def _job() -> dict[str, Any]:
    """Answer in the parent, run after run; return in each child what it shall run."""
    for line in sys.stdin:
        job = json.loads(line)
        with warnings.catch_warnings():
            # JAX warns of threads, of which it has none before its first computation.
            warnings.simplefilter("ignore")
            child = os.fork()
        if not child:
            return job
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps(code), flush=True)
    sys.exit()


def _become(job: dict[str, Any], installed: list[str], scripts: Path) -> None:
    """Give this process the folder, variables, paths, files and scripts of a run."""
    verifying.run_command = functools.partial(run_in_a_fork, scripts)
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["environment"])
    before = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [job["cwd"], *before, *installed]
    sys.argv = ["", *job["arguments"]]
    for number, file in enumerate((os.devnull, job["stdout"], job["stderr"])):
        opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)
    importlib.invalidate_caches()
    _forget_another_suite()
    # Hypothesis takes the folder in which it is imported.
    set_hypothesis_home_dir(Path(job["cwd"]) / ".hypothesis")


def _import_the_suite() -> None:
    """Import all of the suite but what pytest collects, and commands."""
    for package in map(importlib.import_module, _SUITE):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not {"tests", "test_known", "__main__"}.intersection(found.name.split(".")):
                importlib.import_module(found.name)
    # Hypothesis imports it, and LibCST, where a test fails.
    with contextlib.suppress(ImportError):
        importlib.import_module("hypothesis.extra._patching")


def _read_constants() -> None:
    """Let Hypothesis read the constants of all modules, which takes half a second."""
    # It reads them for one number in twenty that it draws, and none for the first example.
    numbers = st.lists(st.integers(), min_size=200)
    settings(max_examples=5, database=None, deadline=None)(given(numbers)(lambda _: None))()


def _read_files() -> None:
    """Let the suite read the distributions and its own findings, which takes a second."""
    compat.installed("no_module_of_any_distribution")
    known.departures()


def _forget_another_suite() -> None:
    """Forget the suite if the paths of a run lead to a copy of it."""
    for name in _SUITE:
        imported = Path(sys.modules[name].__path__[0]).resolve()
        folders = (Path(path, name).resolve() for path in sys.path)
        if next(filter(Path.is_dir, folders), imported) != imported:
            for module in [one for one in sys.modules if one.partition(".")[0] in _SUITE]:
                del sys.modules[module]
            return


def _run(module: str) -> int:
    """Run a module as `python -m` does; return the exit code."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
            return 1
        return ended.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    # Without the folder of this file.
    paths = sys.path[1:]
    for name in _LIBRARIES:
        # What is not installed is not imported by a run either.
        if importlib.util.find_spec(name.partition(".")[0]):
            importlib.import_module(name)
    scripts = serve_in_a_fork(Path(sys.argv[1]), paths)
    _import_the_suite()
    _read_constants()
    _read_files()
    for name, module in list(sys.modules.items()):
        suite = name.partition(".")[0] in _SUITE
        if ("." not in name or suite) and getattr(module, "__file__", None):
            module.__doc__ = f"{module.__doc__ or ''}\n{_NOT_REWRITTEN}"
    print(json.dumps(str(scripts)), flush=True)
    asked = _job()
    _become(asked, paths, scripts)
    gc.freeze()
    if "-n" in asked["arguments"]:
        fork_workers()
    code = _run(asked["module"])
    # Python would take a second to clear the libraries away.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
