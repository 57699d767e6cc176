"""Registers the plugins of the laws and of the timed tests, nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

for _root in ("strategies", "conformance", "perf"):
    # With `-c other.ini` our `pythonpath` setting is not read.
    _path = str(Path(__file__).resolve().parent / _root)
    if _path not in sys.path:
        sys.path.insert(0, _path)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    from pytree_timing import plugin as timing
    from treelaws import plugin as laws

    for plugin, name in ((laws, "treelaws.plugin"), (timing, "pytree_timing.plugin")):
        if not pluginmanager.is_registered(plugin):
            pluginmanager.register(plugin, name)
