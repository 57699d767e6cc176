"""Each operation beside another release: `pytest perf/ --against equinox==0.13.2`."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pytree_timing.operation import Case
from pytree_timing.pairs import Measured


def test_no_slower_than_before(case: Case, compared: Mapping[str, Measured]) -> None:
    found = compared[str(case)]
    if found.comparison is None:
        pytest.skip(found.problem)
    assert found.comparison.verdict != "slower", str(found.comparison)
