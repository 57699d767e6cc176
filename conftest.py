"""Registers the plugins of the laws and of the timed tests, and the option of the self-tests.

`--part-of-sweeps N`: of each sweep, tests with hundreds of parameters or ones that take long, run
one in N, always the same ones.
"""

from __future__ import annotations

import sys
import zlib
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
    parser.addoption(
        "--part-of-sweeps", type=int, default=1, metavar="N", help="run one in N tests of a sweep"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "sweep: one of hundreds that check one thing, or one that takes long"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    parts = int(config.getoption("--part-of-sweeps") or 1)
    left = {item for item in items if item.get_closest_marker("sweep") and _number(item) % parts}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def _number(item: pytest.Item) -> int:
    return zlib.crc32(item.name.encode())
