"""Each known departure under the installed versions still departs."""

from __future__ import annotations

import pytest

from treelaws.core.departures.departure import Departure
from treelaws.pytest_plugin.law_tests import replay, witnesses


@pytest.mark.parametrize("departure", witnesses())
def test_departure_still_departs(departure: Departure) -> None:
    replay(departure)
