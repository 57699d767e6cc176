"""The plugin as users meet it: bad input gives one line and exit code 4, verdicts hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .known_text import known_text
from .python_runs import run_python

ROOT = Path(__file__).resolve().parents[2]
USAGE_ERROR = 4

_LAW_FILE = """
from hypothesis_pytrees import trees
from hypothesis_pytrees import cases
from treelaws import Topic, law_tests
from treelaws.equality import same
import sys

law = Topic("house.example", "Example", family="jax")


@law("a parent", source="here", case=cases(tree=trees()))
def {parent}(lib, case):
    same({parent_got}, 1)


@law("a child", source="here", case=cases(tree=trees()), level="{level}", parents=({parent},))
def child_holds(lib, case):
    {child_body}


TestExample = law_tests(sys.modules[__name__])
"""


def _pytest(
    *arguments: str, cwd: Path = ROOT, modules: Path | None = None, fresh: bool = False
) -> subprocess.CompletedProcess[str]:
    roots = [ROOT / "strategies", ROOT / "conformance", modules or cwd]
    path = os.pathsep.join(map(str, roots))
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": ""}
    command = ["-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return run_python(command, cwd=cwd, environment=environment, fresh=fresh)


def _known(folder: Path, text: str) -> str:
    path = folder / "known.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[example", "not valid TOML"),
        ("[example]\nlaw = 'x'", "[example] needs 'subject'"),
        (known_text("jax.map.x") + "colour = 1", "[example] has 'colour'; allowed: law"),
        (known_text("jax.map.x", versions="new"), "'new' is not a version specifier"),
        (known_text("no.such.law"), "names the unknown law 'no.such.law'"),
        (
            known_text("x").replace('"example"', '" "'),
            "reason is blank: say why the library is wrong",
        ),
        (
            known_text("equinox.filter.combine_undoes_partition", subject="nobody"),
            "names the unknown subject 'nobody'",
        ),
    ],
)
def test_bad_known_file_gives_one_line(tmp_path: Path, text: str, said: str) -> None:
    run = _pytest("-p", "treelaws.plugin", "--known", _known(tmp_path, text), cwd=tmp_path)
    errors = [line for line in run.stderr.splitlines() if line.strip()]
    assert run.returncode == USAGE_ERROR, run.stdout + run.stderr
    assert len(errors) == 1
    assert said in errors[0]


def test_stale_witness_fails(tmp_path: Path) -> None:
    text = known_text("jax.map.unflatten_undoes_flatten")
    run = _pytest(
        "--known",
        _known(tmp_path, text),
        "conformance/treelaws/tests/test_findings.py",
        "-q",
        "--laws",
        "jax.map.unflatten_undoes_flatten",
    )
    assert run.returncode == 1, run.stdout
    assert "known.toml:2-8: delete [example]; its witness no longer breaks" in run.stdout


def _example(
    folder: Path, *arguments: str, fresh: bool = False, **options: str
) -> subprocess.CompletedProcess[str]:
    defaults = {
        "parent": "parent_holds",
        "parent_got": "1",
        "level": "must",
        "child_body": "same(case.tree, 1)",
    }
    (folder / "test_example.py").write_text(_LAW_FILE.format(**{**defaults, **options}))
    asked = ("-p", "treelaws.plugin", "-rsx", "--laws-profile", "quick", *arguments)
    return _pytest(*asked, cwd=folder, fresh=fresh)


def test_broken_law_prints_its_own_report(tmp_path: Path) -> None:
    run = _example(tmp_path)
    assert run.returncode == 1
    assert "house.example.child_holds is broken for jax" in run.stdout
    assert "minimal input:" in run.stdout
    assert "Traceback" not in run.stdout
    assert "profile quick, edition 2026.1" in run.stdout
    assert "standalone script: reproduces" in run.stdout
    assert "same(tree, 1)" in run.stdout


def test_descendant_of_a_broken_law_is_blocked(tmp_path: Path) -> None:
    run = _example(tmp_path, parent_got="2")
    assert "blocked: house.example.parent_holds is broken for jax" in run.stdout
    assert "1 failed, 1 skipped" in run.stdout


def test_observed_law_never_fails_the_run(tmp_path: Path) -> None:
    run = _example(tmp_path, level="observed")
    assert run.returncode == 0, run.stdout
    assert "advisory: house.example.child_holds does not hold" in run.stdout


def test_report_keeps_the_witness_and_the_script(tmp_path: Path) -> None:
    run = _example(tmp_path, "--report", "kept")
    assert run.returncode == 1
    names = sorted(path.name for path in (tmp_path / "kept" / "witnesses").iterdir())
    assert names == [f"house.example.child_holds[jax].{suffix}" for suffix in ("json", "py")]


def test_unexpected_error_is_told_apart(tmp_path: Path) -> None:
    run = _example(tmp_path, child_body="1 // 0")
    assert run.returncode == 1
    assert "house.example.child_holds met an unexpected error for jax" in run.stdout
    assert "raised  ZeroDivisionError" in run.stdout


@pytest.mark.sweep
def test_a_warning_of_a_library_is_no_breach(tmp_path: Path) -> None:
    body = "import warnings; warnings.warn('it will go', DeprecationWarning)"
    run = _example(tmp_path, "-W", "error", fresh=True, child_body=body)
    assert run.returncode == 0, run.stdout


@pytest.mark.sweep
def test_a_run_for_equinox_alone_imports_no_flax(tmp_path: Path) -> None:
    (tmp_path / "watch.py").write_text(
        "import sys\n\ndef pytest_unconfigure():\n"
        "    print([n for n in ('equinox', 'flax') if n in sys.modules])\n"
    )
    law = "equinox.filter.combine_undoes_partition"
    asked = ["--subject", "equinox", "--laws", law, "--laws-profile", "quick"]
    run = _pytest("-p", "watch", "conformance", *asked, modules=tmp_path, fresh=True)
    assert run.returncode == 0, run.stdout
    assert "['equinox']" in run.stdout


def test_loading_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, treelaws.plugin; "
        "print([n for n in ('jax', 'equinox', 'flax', 'hypothesis') if n in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "conformance")}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
