"""`python -m treelaws doctor`: each trouble gives its line, and none a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from treelaws import compat
from treelaws.doctor.cache import check_cache
from treelaws.doctor.children import Child
from treelaws.doctor.environment import check_environment
from treelaws.doctor.results import NOTE, OK, PROBLEM, Result, problem
from treelaws.doctor.versions import check_versions

from .known_text import known_text

ROOT = Path(__file__).resolve().parents[2]
_BROKEN_PACKAGE = {
    "chex/__init__.py": "raise RuntimeError('first line\\nsecond line')\n",
    "chex-9.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: chex\nVersion: 9.9\n",
}
_NOTHING: Mapping[str, str] = {}
_CHILD = """
import os, sys, time
from treelaws.doctor.children import make
from treelaws.doctor.results import ok, problem

def prints():
    print("a line of a library")
    print('["ok", "x", "y"]')
    yield ok("first", "well")

def raises():
    raise RuntimeError("no such\\nluck")
    yield

def dies():
    print("the last words", file=sys.stderr, flush=True)
    os._exit(7)

def hangs():
    time.sleep(600)

make({name: globals()[name] for name in sys.argv[1:]})
"""


def _doctor(
    *arguments: str, cwd: Path = ROOT, first: Path | None = None, more: Mapping[str, str] = _NOTHING
) -> tuple[int, list[str], str]:
    roots = [first, ROOT / "strategies", ROOT / "conformance"]
    path = os.pathsep.join(str(root) for root in roots if root is not None)
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        [sys.executable, "-m", "treelaws", "doctor", *arguments],
        cwd=cwd,
        env={**kept, "PYTHONPATH": path, **more},
        capture_output=True,
        text=True,
    )
    return run.returncode, run.stdout.splitlines(), run.stderr


def _levels(findings: Iterable[Result]) -> dict[str, str]:
    return {found.about: found.level for found in findings}


@pytest.mark.sweep
def test_a_sound_machine_has_no_problem_and_one_line_each(tmp_path: Path) -> None:
    good = tmp_path / "known.toml"
    text = known_text("jax.map.unflatten_undoes_flatten")
    other = text.replace("[example]", "[elsewhere]").replace(">=0.4", "<0.1")
    good.write_text(text + other)
    code, lines, errors = _doctor("--known", str(good))
    assert errors == ""
    assert lines[-1] == "0 problems", "\n".join(lines)
    assert code == 0
    assert all(line.split()[0] in (OK, NOTE) for line in lines[:-1])
    joined = "\n".join(lines)
    for told in ("Python: ", "jax: ", "backend: ", "imports: ", "laws: ", "known departures: "):
        assert told in joined
    assert f"{good}: 1 of 2 apply to the installed versions; 1 do not: elsewhere" in joined


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        ("[example", "not valid TOML"),
        ("[example]\nlaw = 'x'", "[example] needs 'subject'"),
        (known_text("no.such.law"), "names the unknown law 'no.such.law'"),
        (known_text("jax.map.x").replace('reason = "example"', ""), "reason is blank: say why"),
    ],
)
def test_a_broken_known_file_is_a_problem(tmp_path: Path, text: str | None, said: str) -> None:
    found = [one for one in _of_known_file(tmp_path, text) if one.level == PROBLEM]
    assert len({one.message for one in found if said in one.message}) == 1, found


def test_a_subject_that_a_test_file_may_register_is_noted(tmp_path: Path) -> None:
    text = known_text("jax.map.unflatten_undoes_flatten", subject="nobody")
    (found,) = [one for one in _of_known_file(tmp_path, text) if "'nobody'" in one.message]
    assert found.level == NOTE
    assert "unless a test file registers it" in found.message


def _of_known_file(folder: Path, text: str | None) -> list[Result]:
    """Look at a file with this text, or at none, and forget it."""
    from treelaws.core.departures import known
    from treelaws.doctor.known_files import check_known

    file = folder / "known.toml"
    if text is not None:
        file.write_text(text)
    with known.also([]):
        return list(check_known([str(file)]))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"JAX_ENABLE_X64": "banana"}, "import of jax: ValueError: invalid truth value 'banana'"),
        ({"XLA_FLAGS": "--nonsense"}, "Unknown flag in XLA_FLAGS: --nonsense"),
        ({"JAX_PLATFORMS": "nonsense"}, "with JAX_PLATFORMS=nonsense; JAX_PLATFORMS=cpu runs"),
        ({"PYTEST_ADDOPTS": "--nonsense"}, "unrecognized arguments: --nonsense"),
    ],
)
def test_what_does_not_start_is_a_problem(variables: dict[str, str], said: str) -> None:
    code, lines, errors = _doctor(more=variables)
    assert code == 1
    assert errors == ""
    assert any(line.startswith(PROBLEM) and said in line for line in lines), "\n".join(lines)
    assert "Traceback" not in "\n".join(lines)


@pytest.mark.sweep
def test_a_library_that_is_installed_and_does_not_import_is_a_problem(tmp_path: Path) -> None:
    for name, text in _BROKEN_PACKAGE.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    code, lines, _ = _doctor(cwd=tmp_path, first=tmp_path)
    assert code == 1
    assert any("import of chex: RuntimeError: first line; a run" in line for line in lines)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"CI": "1"}, "'ci' is active because CI is set; the laws use"),
        ({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, "does not know --laws and the other options"),
        ({"PYTEST_ADDOPTS": "-q -p treelaws.plugin"}, "'-q -p treelaws.plugin' is added to every"),
        ({"PYTEST_ADDOPTS": "-o python_classes=Check"}, "'Check' excludes tests such as TestJax"),
        ({"PYTEST_ADDOPTS": "-o python_files=check_*"}, "excludes tests such as test_jax.py"),
    ],
)
def test_pytest_and_hypothesis_are_asked(
    tmp_path: Path, variables: dict[str, str], said: str
) -> None:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    path = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance")])
    run = subprocess.run(
        [sys.executable, "-m", "treelaws.doctor.pytest_probe"],
        cwd=tmp_path,
        env={**kept, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
    )
    assert said in run.stdout.replace('\\"', '"'), run.stdout + run.stderr


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({"jax": None}, "jax: is not installed; pip install 'jax>="),
        ({"jax": "0.4.1"}, "jax: 0.4.1 does not meet >=0.4.35; pip install 'jax>=0.4.35'"),
        ({"jaxlib": "0.0.1"}, "but 0.0.1 is installed; pip install --upgrade jax jaxlib"),
        ({"python": "3.8.0"}, "Python: 3.8.0 does not meet >=3.10; use another Python"),
        ({"pytest": "7.0"}, "pytest: 7.0 does not meet >=8.4"),
    ],
)
def test_a_version_that_does_not_fit_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, versions: dict[str, str | None], said: str
) -> None:
    installed = compat.version
    monkeypatch.setattr(
        compat, "version", lambda name: versions[name] if name in versions else installed(name)
    )
    found = [str(one) for one in check_versions() if one.level == PROBLEM]
    assert any(said in line for line in found), found


def test_a_library_that_is_not_installed_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = compat.version
    monkeypatch.setattr(compat, "version", lambda name: None if name == "flax" else installed(name))
    assert _levels(check_versions())["flax"] == NOTE


def test_another_copy_around_the_folder_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "conformance" / "treelaws"
    copy.mkdir(parents=True)
    (copy / "plugin.py").touch()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    told = [one.message for one in check_versions() if one.level == PROBLEM]
    assert any(f"holds another copy; pip install -e {tmp_path}" in one for one in told)


@pytest.mark.parametrize(
    ("variable", "level"),
    [
        ("JAX_ENABLE_X64=1", OK),
        ("JAX_ENABLE_X64=false", OK),
        ("JAX_DISABLE_JIT=True", PROBLEM),
        ("JAX_NUMPY_DTYPE_PROMOTION=strict", PROBLEM),
        ("JAX_NUMPY_DTYPE_PROMOTION=standard", None),
        ("JAX_CHECK_TRACER_LEAKS=1", PROBLEM),
        ("JAX_DEBUG_NANS=1", PROBLEM),
        ("JAX_TRANSFER_GUARD=disallow", PROBLEM),
        ("NNX_GRAPH_MODE=false", PROBLEM),
        ("NNX_GRAPH_UPDATES=true", None),
        ("EQX_ON_ERROR=breakpoint", PROBLEM),
        ("EQX_ON_ERROR=nan", PROBLEM),
        ("EQX_ON_ERROR=raise", None),
        ("JAX_LOG_COMPILES=1", NOTE),
        ("JAX_NEVER_HEARD_OF=1", NOTE),
        ("PYTHONOPTIMIZE=1", NOTE),
    ],
)
def test_variables_are_told(
    monkeypatch: pytest.MonkeyPatch, variable: str, level: str | None
) -> None:
    name, _, value = variable.partition("=")
    monkeypatch.setattr(os, "environ", {name: value})
    found = {one.about: one.level for one in check_environment()}
    assert found == ({variable: level} if level else {"environment": OK})


def test_the_cache_must_be_a_folder_that_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert [one.message for one in check_cache()] == [f"{tmp_path / 'treelaws'}, not there yet"]
    (tmp_path / "treelaws").mkdir()
    assert [one.message for one in check_cache()] == [str(tmp_path / "treelaws")]
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert [one.level for one in check_cache()] == [NOTE]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        (["prints"], [("first", "well")]),
        (["raises", "prints"], [("raises", "RuntimeError: no such"), ("first", "well")]),
        (
            ["prints", "dies"],
            [("first", "well"), ("dies", "Python ended with exit code 7: the last words")],
        ),
        (["prints", "hangs"], [("first", "well"), ("hangs", "took longer than 8 s")]),
    ],
)
def test_a_child_that_ends_badly_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    steps: list[str],
    wanted: list[tuple[str, str]],
) -> None:
    (tmp_path / "steps_of_a_child.py").write_text(_CHILD)
    path = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance"), str(tmp_path)])
    monkeypatch.setenv("PYTHONPATH", path)
    found = Child("the child", "steps_of_a_child", steps).results(8.0)
    assert [(one.about, one.message) for one in found] == wanted


def test_a_finding_is_one_line() -> None:
    assert str(problem("a\nb", "c\n  d")) == "problem  a b: c d"


def test_the_command_is_listed_and_refuses_what_it_does_not_know() -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'strategies'}:{ROOT / 'conformance'}"}
    for arguments, code, said in (
        (["--help"], 0, "doctor"),
        (["doctor", "--help"], 0, "--known FILE"),
        (["doctor", "nothing"], 2, "unrecognized arguments: nothing"),
    ):
        run = subprocess.run(
            [sys.executable, "-m", "treelaws", *arguments],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert run.returncode == code
        assert said in run.stdout + run.stderr
