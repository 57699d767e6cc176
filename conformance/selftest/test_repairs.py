"""Laws that no release keeps hold on a repaired library, and notice a fault of it."""

from __future__ import annotations

import pytest

from treelaws.core.search import search
from treelaws.laws import law_named

from .repair import FAULTS, REPAIRS, load, never_run

load()
_HOLDING = [(name, law) for name, found in REPAIRS.items() for law in found.laws]
_NOTICING = [(name, law) for name, found in FAULTS.items() for law in found.laws]


def test_each_law_that_no_release_keeps_is_proved() -> None:
    held = {law for _, law in _HOLDING}
    noticing = {law for _, law in _NOTICING}
    for law in never_run():
        assert law in held, f"{law} runs nowhere; repair what it is about in selftest/repairs/"
        assert law in noticing, f"no fault of a repaired library shows that {law} can fail"


@pytest.mark.sweep
@pytest.mark.parametrize(("repair", "law"), _HOLDING)
def test_law_holds_on_the_repaired_library(repair: str, law: str) -> None:
    breach = search(law_named(law), REPAIRS[repair].subject)
    assert breach is None, f"{law} breaks without the bug:\n{breach}"


@pytest.mark.sweep
@pytest.mark.parametrize(("fault", "law"), _NOTICING)
def test_law_notices_a_fault_of_the_repaired_library(fault: str, law: str) -> None:
    searches = (search(law_named(law), FAULTS[fault].subject, start=one) for one in (None, 0, 1))
    assert any(searches), f"{law} does not notice: {FAULTS[fault].text}"
