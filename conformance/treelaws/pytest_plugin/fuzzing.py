"""HypoFuzz, which collects the tests of laws and runs their bodies without pytest hooks."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable

import pytest


def is_on() -> bool:
    """Return whether HypoFuzz collects or runs tests in this process."""
    detection = sys.modules.get("hypofuzz.detection")
    asked = getattr(detection, "in_hypofuzz_run", None)
    return asked is not None and asked()


class Marker:
    """Marks and configures tests for HypoFuzz, which runs no setup of a test.

    Args:
        obstacle: returns why a test cannot run; empty if it can.
    """

    def __init__(self, obstacle: Callable[[pytest.Item], str]) -> None:
        self._obstacle = obstacle

    def pytest_collection(self) -> None:
        """Start workers by spawning, and make the settings of laws the default."""
        from hypothesis import settings

        from treelaws.core.examples.profiles import settings_for

        # The threads of JAX do not survive a fork.
        multiprocessing.set_start_method("spawn", force=True)
        # HypoFuzz skips a test whose database is not the default one.
        settings.register_profile("treelaws", settings_for())
        settings.load_profile("treelaws")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Mark tests that cannot run as skipped."""
        for item in items:
            if reason := self._obstacle(item):
                item.add_marker(pytest.mark.skip(reason=reason))
