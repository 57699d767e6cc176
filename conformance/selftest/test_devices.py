"""Laws about several devices: a run makes the devices, and says so where it cannot."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from treelaws.compat import devices
from treelaws.core.search import search
from treelaws.laws import law_named
from treelaws.reproduce.script import scripts, verifying

from .mutant import MUTANTS, load
from .python_runs import run_python

_LAW = "jax.sharding.leaves_are_put_where_the_prefix_says"
_LAWS = Path(__file__).resolve().parents[1] / "treelaws"


def test_the_variable_keeps_what_the_user_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAX_NUM_CPU_DEVICES", raising=False)
    for before, after in (
        ("", devices.FLAG),
        ("--xla_dump_to=x", f"--xla_dump_to=x {devices.FLAG}"),
        (f"{devices.FLAG[:-1]}2", f"{devices.FLAG[:-1]}2"),
    ):
        monkeypatch.setenv("XLA_FLAGS", before)
        devices.ask()
        found = {"XLA_FLAGS": after, "OTHER": "1"}
        assert devices.unasked(found).get("XLA_FLAGS", "") == before
        assert os.environ["XLA_FLAGS"] == after


@pytest.mark.sweep
@pytest.mark.parametrize("count", [1, 8])
def test_a_law_without_its_devices_is_skipped(tmp_path: Path, count: int) -> None:
    words = ["-m", "pytest", str(_LAWS), "--laws", _LAW, "--laws-profile", "quick", "-rs"]
    options = ["--database", "none", "--report", str(tmp_path), "-p", "no:cacheprovider"]
    environment = {**os.environ, "XLA_FLAGS": ""}
    if count == 1:
        environment["XLA_FLAGS"] = f"{devices.FLAG[:-1]}{count}"
    run = run_python([*words, *options], cwd=tmp_path, environment=environment, fresh=True)
    skipped = "JAX has started with 1 of the 8 devices" in run.stdout
    assert skipped == (count == 1), run.stdout + run.stderr
    assert ("1 passed" in run.stdout) == (count == 8), run.stdout + run.stderr


@pytest.mark.sweep
@pytest.mark.usefixtures("fresh_interpreters")
def test_a_script_makes_its_devices(tmp_path: Path) -> None:
    load()
    mutant = next(one for one in MUTANTS.values() if _LAW in one.kills)
    law = law_named(_LAW)
    breach = search(law, mutant.subject) or search(law, mutant.subject, start=0)
    assert breach
    path = tmp_path / "script.py"
    # The installed library passes it, which it could not with one device.
    path.write_text(next(scripts(breach)))
    run = verifying.run_command([sys.executable, str(path)], cwd=str(tmp_path), timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
