"""Whether a law notices a generated fault that the committed table says it notices."""

from __future__ import annotations

import pytest

from treelaws.laws import law_named
from treelaws.strength.faults.command import CASES
from treelaws.strength.faults.matrix import NOTICED, cells
from treelaws.strength.faults.running import subject_for

# What is drawn depends on the modules that are imported, and some functions are called in few of
# the cases; the first cases show most faults.
_DRAWS = ((None, 2), (None, CASES), *((start, 5 * CASES) for start in range(16)))


def outcomes(law: str, function: str, fault: str) -> list[str]:
    """Return what a law says of a fault, in more and more cases until it notices it.

    Args:
        law: id of the law; the test is skipped if no installed subject has what it needs.
        function: the function, with its library.
        fault: name of the fault.
    """
    found = law_named(law)
    subject = subject_for(found)
    if subject is None:
        pytest.skip(f"no installed subject has what {law} needs")
    said: list[str] = []
    for start, count in _DRAWS:
        tried = cells(found, subject, count, lambda *at: at == (function, fault), start=start)
        said = [cell.outcome for cell in tried]
        if said == [NOTICED]:
            break
    return said
