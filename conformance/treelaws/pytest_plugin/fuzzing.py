"""HypoFuzz: it collects the tests of laws and runs their bodies without the hooks around them."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable

import pytest


def is_on() -> bool:
    """Whether HypoFuzz collects tests, or runs them, in this process."""
    detection = sys.modules.get("hypofuzz.detection")
    asked = getattr(detection, "in_hypofuzz_run", None)
    return asked is not None and asked()


class Marker:
    """Tells HypoFuzz by marks and settings what a run of pytest learns when a test is set up.

    Args:
        obstacle: gives the reason why a test cannot be tried; empty where it can.
    """

    def __init__(self, obstacle: Callable[[pytest.Item], str]) -> None:
        self._obstacle = obstacle

    def pytest_collection(self) -> None:
        """Let workers start afresh, and make the settings of laws the default."""
        from hypothesis import settings

        from treelaws.core.profiles import settings_for

        # The threads of JAX do not survive a fork.
        multiprocessing.set_start_method("spawn", force=True)
        # A test with another database than the default one would not be fuzzed.
        settings.register_profile("treelaws", settings_for())
        settings.load_profile("treelaws")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Mark what cannot be tried."""
        for item in items:
            if reason := self._obstacle(item):
                item.add_marker(pytest.mark.skip(reason=reason))
