"""Every law is broken by a mutant, and every mutant breaks the laws it is said to break."""

from __future__ import annotations

import pytest

from treelaws.core.search import search
from treelaws.laws import all_laws, law_named

from .mutant import load, obstacle

_MUTANTS = load()
_PAIRS = [
    pytest.param(name, id, id=f"{name}-{id}")
    for name, mutant in _MUTANTS.items()
    for id in mutant.kills
]


@pytest.mark.parametrize(("mutant", "law"), _PAIRS)
def test_law_notices(mutant: str, law: str) -> None:
    if reason := obstacle(_MUTANTS[mutant], law_named(law)):
        pytest.skip(reason)
    assert search(law_named(law), _MUTANTS[mutant].subject), f"{mutant} survives {law}"


@pytest.mark.parametrize("law", all_laws())
def test_law_has_a_mutant(law: str) -> None:
    killers = [name for name, mutant in _MUTANTS.items() if law in mutant.kills]
    assert killers, f"no mutant breaks {law}: a law that cannot fail is no law"


@pytest.mark.parametrize("mutant", _MUTANTS)
def test_mutant_is_noticed(mutant: str) -> None:
    found = _MUTANTS[mutant]
    assert found.kills, f"{mutant} is said to break no law"
    assert found.fault, f"{mutant} does not say what is broken"
