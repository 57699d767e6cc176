"""A run keeps compiled programs in a folder of its own, and leaves that of the user alone."""

from __future__ import annotations

import os
from pathlib import Path

import jax
import pytest

from treelaws.compat import compiled_programs

from .pytest_runs import run_pytest

_VARIABLE = "JAX_COMPILATION_CACHE_DIR"
_kept = pytest.mark.skipif(
    not compiled_programs.are_right(), reason="programs of this jaxlib are not kept on disk"
)
_TESTS = f"""\
import os
from pathlib import Path

import jax
import numpy as np


def test_a_program_is_kept():
    folder = Path(os.environ["{_VARIABLE}"])
    assert jax.config.jax_compilation_cache_dir == str(folder)
    jax.jit(lambda x: x * 3 + 1)(np.float32(1))
    assert any("lambda" in path.name for path in folder.iterdir())
    Path("folder.txt").write_text(str(folder))
"""


def _folder_of_jax() -> str | None:
    # The types of JAX's options do not list this one in each release.
    return getattr(jax.config, _VARIABLE.lower())


def _folder_of_run(tmp_path: Path, *arguments: str, **variables: str) -> Path:
    (tmp_path / "test_own.py").write_text(_TESTS)
    laws = ("--pyargs", "treelaws", "--laws", "jax.map.unflatten_undoes_flatten")
    run = run_pytest(
        "test_own.py", *laws, "--laws-profile", "quick", "--database", "none",
        "--report", "report", *arguments, cwd=tmp_path, fresh=True, **variables,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    return Path((tmp_path / "folder.txt").read_text())


@pytest.mark.sweep
@_kept
@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_folder_of_a_run_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.delenv(_VARIABLE, raising=False)
    assert not _folder_of_run(tmp_path, "-n", workers).exists()


@pytest.mark.sweep
@_kept
def test_the_folder_of_the_user_stays(tmp_path: Path) -> None:
    folder = tmp_path / "compiled"
    limit = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    assert _folder_of_run(tmp_path, **{_VARIABLE: str(folder)}, **limit) == folder
    assert folder.exists()


@_kept
def test_the_options_of_jax_are_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(_VARIABLE, raising=False)
    before = _folder_of_jax()
    try:
        jax.config.update("jax_compilation_cache_dir", None)
        with compiled_programs.kept_on_disk():
            assert _folder_of_jax() == os.environ[_VARIABLE]
        assert _folder_of_jax() is None
        assert _VARIABLE not in os.environ
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


def test_wrong_programs_are_not_read_from_the_folder_of_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    switch = "jax_enable_compilation_cache"
    monkeypatch.setenv(_VARIABLE, "anywhere")
    monkeypatch.delenv(switch.upper(), raising=False)
    monkeypatch.setattr(compiled_programs, "are_right", lambda: False)
    before = getattr(jax.config, switch)
    with compiled_programs.kept_on_disk():
        assert not getattr(jax.config, switch)
        assert os.environ[switch.upper()] == "False"
    assert getattr(jax.config, switch) == before
    assert switch.upper() not in os.environ
