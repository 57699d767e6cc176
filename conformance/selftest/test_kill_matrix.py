"""Every law notices a mutant or a generated fault, every mutant breaks its laws, and a script shows
each such pair."""

from __future__ import annotations

import pytest

from treelaws.core.search import search
from treelaws.laws import all_laws, law_named
from treelaws.reproduce.script import minimal
from treelaws.reproduce.witness import witness_of
from treelaws.strength.faults.matrix import NOTICED
from treelaws.strength.faults.record import noticed_by_law

from .fault_places import outcomes
from .mutant import load, obstacle
from .repair import FAULTS, load as load_repairs
from .script_runs import Server, showing

load_repairs()
_MUTANTS = load()
_PAIRS = [
    pytest.param(name, id, id=f"{name}-{id}")
    for name, mutant in _MUTANTS.items()
    for id in mutant.kills
]
_KILLED = {law for mutant in _MUTANTS.values() for law in mutant.kills}
# Faults of repaired libraries have a test of their own.
_REPAIRED = {law for found in FAULTS.values() for law in found.laws}
_WITHOUT_MUTANT = [law for law in all_laws() if law not in _KILLED | _REPAIRED]
_NOTICED = noticed_by_law()


@pytest.mark.sweep
@pytest.mark.parametrize(("mutant", "law"), _PAIRS)
def test_law_notices(mutant: str, law: str, server: Server) -> None:
    """The law is broken by the mutant, and a script shows it that the real library passes."""
    found, subject = law_named(law), _MUTANTS[mutant].subject
    if reason := obstacle(_MUTANTS[mutant], found):
        pytest.skip(reason)
    # What is drawn depends on the modules that are imported; one search may miss a rare input.
    searches = (search(found, subject, start=start) for start in (None, *range(16)))
    breach = next(filter(None, searches), None)
    assert breach, f"{mutant} survives {law}"
    smallest = minimal(breach)
    assert witness_of(smallest).key == witness_of(breach).key
    text = showing(server, smallest, mutant)
    # The real library may break a law that only observes; a node mutant is in the script itself.
    if subject.libraries and found.level != "observed":
        code, output = server.run(text)
        assert code == 0, f"{output}\n\n{text}"


@pytest.mark.sweep
@pytest.mark.parametrize("law", _WITHOUT_MUTANT)
def test_a_law_without_a_mutant_notices_a_generated_fault(law: str) -> None:
    """`python -m treelaws faults --record` wrote down which."""
    assert law in _NOTICED, f"no mutant and no fault shows that {law} can fail"
    assert outcomes(law, *_NOTICED[law]) == [NOTICED]


@pytest.mark.parametrize("mutant", _MUTANTS)
def test_mutant_is_noticed(mutant: str) -> None:
    found = _MUTANTS[mutant]
    assert found.kills, f"{mutant} is said to break no law"
    assert found.fault, f"{mutant} does not say what is broken"
