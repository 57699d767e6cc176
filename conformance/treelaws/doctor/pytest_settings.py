"""Checks pytest in this folder: the options of the suite, and plugins that change verdicts."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from typing import Any

from .results import Result, note, ok, problem

_PLUGIN = "treelaws.plugin"
_TURNED_OFF = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
# Seconds that a law that compiles may take on a busy machine.
_SHORT = 60.0


def check_pytest(config: Any) -> Iterator[Result]:
    """Check the options, files and plugins of a run in this folder.

    Args:
        config: the pytest config.
    """
    yield from _variables()
    yield _own_plugin(config)
    yield from _others(config)
    yield from _names(config)


def _variables() -> Iterator[Result]:
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        if text := os.environ.get(name):
            yield note(name, f"{text!r} is added to every run; unset {name} if you did not mean it")


def _own_plugin(config: Any) -> Result:
    if config.pluginmanager.has_plugin(_PLUGIN):
        return ok("pytest", f"knows --laws and the other options; rootdir {config.rootpath}")
    turned_off = os.environ.get(_TURNED_OFF)
    because = f"{_TURNED_OFF} is set" if turned_off else "the plugin is not installed"
    told = f"does not know --laws and the other options: {because}; add -p {_PLUGIN}"
    return problem("pytest", told)


def _others(config: Any) -> Iterator[Result]:
    has = config.pluginmanager.has_plugin
    if not has("_hypothesis_pytestplugin") and not has("hypothesispytest"):
        told = "its pytest plugin is off: --hypothesis-seed is unknown; add"
        yield note("Hypothesis", f"{told} -p _hypothesis_pytestplugin")
    if not has("xdist"):
        yield note("pytest-xdist", "-n is unknown; pip install pytest-xdist, or add -p xdist")
    if reruns := _number(config, "reruns"):
        told = f"a broken law is rerun {reruns:g} times and passes if a rerun misses"
        yield problem("pytest-rerunfailures", f"{told} the input; drop --reruns")
    if (seconds := _timeout(config)) and seconds < _SHORT:
        told = f"a law that compiles may take longer than {seconds:g} s and then fails"
        yield problem("pytest-timeout", f"{told}; use --timeout {_SHORT:g} or more")
    if has("randomly"):
        told = "shuffles the laws, without effect on verdicts; -p no:randomly keeps their order"
        yield note("pytest-randomly", told)


def _names(config: Any) -> Iterator[Result]:
    """Check for settings under which pytest finds no test of the suite."""
    for option, name in (("python_files", "test_jax.py"), ("python_classes", "TestJax")):
        patterns = config.getini(option)
        # As in pytest, a class pattern without wildcards is a prefix.
        prefixes = option == "python_classes"
        if not any(
            fnmatch.fnmatchcase(name, pattern) or (prefixes and name.startswith(pattern))
            for pattern in patterns
        ):
            told = f"{' '.join(patterns)!r} excludes tests such as {name}"
            yield problem(f"pytest's {option}", f"{told}; no law runs until it is added")


def _number(config: Any, name: str) -> float:
    """Return a plugin option from the command line or a file; 0 if it is not set."""
    value = config.getoption(name, None)
    if value is None:
        try:
            value = config.getini(name)
        except (KeyError, ValueError):
            return 0.0
    try:
        return float(value or 0)
    except (TypeError, ValueError):
        return 0.0


def _timeout(config: Any) -> float:
    if not config.pluginmanager.has_plugin("timeout"):
        return 0.0
    try:
        from_environment = float(os.environ.get("PYTEST_TIMEOUT", "") or 0)
    except ValueError:
        from_environment = 0.0
    return from_environment or _number(config, "timeout")
