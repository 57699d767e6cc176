"""A pytest plugin: `--harvest FILE` counts how tests and examples call the libraries.

It is for the tests of another project: `pytest -p treelaws.pytest_plugin.counting.harvesting`.
"""

from __future__ import annotations

import pytest

from .calls import counter

# The beginning of the file name of an example in a docstring.
_EXAMPLE = "<doctest "


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--harvest", metavar="FILE", help="write how often each argument is passed")


def pytest_configure(config: pytest.Config) -> None:
    """Count the calls by files below the working directory of the run."""
    if (file := config.getoption("--harvest")) is not None:
        callers = (str(config.invocation_params.dir), _EXAMPLE)
        config.pluginmanager.register(counter(file, callers, option="--harvest"))
