"""Known departures: what is replayed, and what a witness that no longer fails means."""

from __future__ import annotations

from pathlib import Path

import jax
import pytest
from hypothesis import assume, given, settings, strategies as st
from hypothesis.errors import FailedHealthCheck

from treelaws import compat
from treelaws.core.departures import known
from treelaws.core.examples.profiles import settings_for
from treelaws.core.obstacles import obstacle
from treelaws.laws import law_named
from treelaws.pytest_plugin import law_tests
from treelaws.subjects.registry import subject

from .known_text import known_text


def _departure(folder: Path, law: str) -> known.Departure:
    path = folder / "known.toml"
    path.write_text(known_text(law))
    return known.read(path)[0]


def test_stale_witness_fails(tmp_path: Path) -> None:
    found = _departure(tmp_path, "jax.map.unflatten_undoes_flatten")
    with pytest.raises(pytest.fail.Exception, match=r"known.toml:2-8: delete \[example\]; its wit"):
        law_tests.replay(found)


def test_stale_witness_fails_no_build_from_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compat, "built_from_source", lambda package: package == "jax")
    found = _departure(tmp_path, "jax.map.unflatten_undoes_flatten")
    with pytest.raises(pytest.skip.Exception, match=r"delete \[example\]; .*built from source"):
        law_tests.replay(found)


def test_a_witness_of_a_race_that_does_not_show_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        f'{known_text("jax.map.unflatten_undoes_flatten")}race = "two first calls meet"\n'
    )
    with pytest.raises(pytest.skip.Exception, match=r"shows only where two first calls meet"):
        law_tests.replay(known.read(path)[0])


def test_releases_are_told_from_builds() -> None:
    assert not compat.built_from_source("hypothesis")
    assert not compat.built_from_source("no-such-distribution")


def test_witness_of_a_missing_function_is_not_replayed(tmp_path: Path) -> None:
    found = _departure(tmp_path, "equinox.filter.combine_undoes_partition")
    stood = obstacle(law_named(found.law), subject(found.subject), found)
    assert stood == ("skipped", "jax does not claim combine, partition")


def test_departures_depart_with_their_options() -> None:
    asked = [found for found in known.departures() if found.config]
    # A release of JAX may lack an option.
    wanted = [one for one in asked if all(hasattr(jax.config, name) for name in one.config)]
    assert {name for found in wanted for name in found.config} >= {"jax_enable_x64"}
    for found in wanted:
        before = {name: getattr(jax.config, name) for name in found.config}
        try:
            for name, value in found.config.items():
                jax.config.update(name, value)
            if found.applies:
                law_tests.replay(found)
        finally:
            for name, value in before.items():
                jax.config.update(name, value)


@pytest.mark.parametrize("regions", [False, True])
def test_regions_may_leave_most_inputs_out(regions: bool) -> None:
    @settings(settings_for("default", regions=regions), database=None, derandomize=True)
    @given(number=st.integers(0, 1000))
    def search(number: int) -> None:
        assume(number % 50 == 3)

    if regions:
        search()
    else:
        with pytest.raises(FailedHealthCheck, match="filtering out a lot of inputs"):
            search()
