"""Candidates for files of known departures: what they pin, and what is done about what is known."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from hypothesis_pytrees import Recipe
from treelaws import Subject
from treelaws.core import subject as added
from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.obstacles import obstacle
from treelaws.core.search import search
from treelaws.findings.candidates import candidate_of, versions_of
from treelaws.findings.subject_names import imports, register_named
from treelaws.findings.writing import append
from treelaws.laws import law_named
from treelaws.subjects import registry
from treelaws.subjects.registry import subject
from treelaws.subjects.user import mixtures, subject_of

from . import user_nodes as nodes
from .known_text import known_text

_ROUND_TRIP = "node.flatten.unflatten_undoes_flatten"


def test_a_law_of_somebody_else_has_no_entry() -> None:
    law = dataclasses.replace(law_named(_ROUND_TRIP), check=lambda lib, case: None)
    found = candidate_of(Breach(law, subject("jax"), Recipe(), ValueError()))
    assert (
        found.problem == "the law is not part of the suite; a file can only name laws of the suite"
    )


def test_what_no_longer_breaks_by_itself_has_no_entry() -> None:
    law, sound = law_named(_ROUND_TRIP), subject_of(nodes.TheirPair)
    found = candidate_of(Breach(law, sound, Recipe(("node = [1.0]",)), ValueError()))
    assert found.problem == "the text of its input alone does not fail the law"


def test_pins_are_those_of_what_matters() -> None:
    pytest.importorskip("equinox")
    pytest.importorskip("optax")
    packages = {"jax": set(versions_of(subject("jax"), "tree = [1]"))}
    packages["equinox"] = set(versions_of(subject("equinox"), "tree = optax.adam(1)"))
    theirs = Subject("hypothesis.strategies:lists", "node", lambda: None)
    packages["theirs"] = set(versions_of(theirs, "node = [1]"))
    assert packages == {
        "jax": {"jax"},
        "equinox": {"equinox", "jax", "optax"},
        "theirs": {"hypothesis", "jax"},
    }


@pytest.fixture
def counting(tmp_path: Path) -> Any:
    """A broken node of which the round trip is known to be broken, and a search for it."""
    guest = subject_of(nodes.TheirCounter)
    breach = search(law_named(_ROUND_TRIP), guest, shrink=True)
    assert breach is not None
    candidate = candidate_of(breach)
    assert candidate.problem == ""
    path = tmp_path / "known.toml"
    append(path, [candidate], [])
    path.write_text(path.read_text().replace('reason = ""', 'reason = "It counts."'))
    return guest, path


def test_what_an_entry_names_is_registered_where_it_imports(
    counting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest, path = counting
    monkeypatch.setattr(added, "_SUBJECTS", dict(added._SUBJECTS))
    more = known_text(_ROUND_TRIP, subject=f"jax with {nodes.__name__}:TheirStore")
    path.write_text(path.read_text() + more)
    with known.also([path]):
        register_named()
        names = [one.name for one in registry.subjects()]
        assert list(known.unknown_subjects(names)) == []
        assert guest.name in names
    assert imports(f"equinox with {guest.name}")
    assert not imports(f"{guest.name}s")
    assert not imports("nobody")


def test_trees_that_hold_a_node_known_to_be_broken_are_not_tried(counting: Any) -> None:
    guest, path = counting
    law = law_named("jax.map.unflatten_undoes_flatten")
    mixture = next(one for one in mixtures.mixtures(guest) if one.base == "jax")
    with known.also([path]):
        assert obstacle(law, mixture) == (
            "known",
            f"the known departure {known.added()[0].name} covers every case of {guest.name}",
        )
        assert known.covering(mixtures.laws_of(guest), guest, {guest.kind, "list"})


def test_an_entry_about_a_mixture_covers_it_alone(counting: Any) -> None:
    guest, path = counting
    law = law_named("jax.map.unflatten_undoes_flatten")
    mixture = next(one for one in mixtures.mixtures(guest) if one.base == "jax")
    text = path.read_text().replace(_ROUND_TRIP, law.id)
    path.write_text(text.replace(f'"{guest.name}"', f'"{mixture.name}"'))
    with known.also([path]):
        assert known.covering([law], mixture, ())
        assert known.covering_every_case([law], mixture)
        assert not known.covering([law], subject("jax"), ())
