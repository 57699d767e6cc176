"""Environments are made once, whole or not at all; nothing here asks an index or installs."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import types
from collections.abc import Iterable
from pathlib import Path

import pytest

from treelaws.compat import toml
from treelaws.releases.environments import (
    environments,
    index as releases,
    installing,
    interpreters,
    requirements,
)
from treelaws.releases.environments.environments import (
    BadRequest,
    Ended,
    Environment,
    Wanted,
    environment,
)
from treelaws.releases.environments.installing import CannotInstall

ROOT = Path(__file__).resolve().parents[2]
_DAY = datetime.datetime(2025, 3, 1, tzinfo=datetime.timezone.utc)
_WANTED = Wanted(("equinox==0.12.0",), ("jax==0.5.3", "optax"))


class _Installer:
    """Takes the place of `install`: puts a link to this Python where an interpreter would be."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], datetime.datetime | None]] = []
        self.fails: BaseException | None = None

    def __call__(
        self,
        folder: Path,
        python: interpreters.Interpreter,
        requirements: Iterable[str],
        before: datetime.datetime | None,
    ) -> dict[str, str]:
        self.asked.append((tuple(requirements), before))
        if self.fails is not None:
            raise self.fails
        path = environments.python_in(folder)
        path.parent.mkdir(parents=True)
        path.symlink_to(sys.executable)
        return {"equinox": "0.12.0"}


@pytest.fixture
def installer(monkeypatch: pytest.MonkeyPatch) -> _Installer:
    found = _Installer()
    monkeypatch.setattr(environments, "install", found)
    monkeypatch.setattr(environments, "uploaded", lambda package, version: _DAY)
    return found


def test_an_environment_is_made_once(installer: _Installer, tmp_path: Path) -> None:
    first = environment(_WANTED, cache=tmp_path)
    again = environment(_WANTED, cache=tmp_path)
    assert first == again
    assert first.versions == {"equinox": "0.12.0"}
    assert installer.asked == [
        (("equinox==0.12.0", "jax==0.5.3", "optax"), _DAY + datetime.timedelta(days=1))
    ]
    environment(_WANTED, cache=tmp_path, fresh=True)
    assert len(installer.asked) == 2


def test_what_differs_has_another_folder() -> None:
    names = {
        _WANTED.name,
        Wanted(_WANTED.pins).name,
        Wanted(("equinox==0.12.1",), _WANTED.extra).name,
        Wanted(_WANTED.extra[:1], _WANTED.pins).name,
    }
    assert len(names) == 4
    assert Wanted(_WANTED.pins, _WANTED.extra[::-1]).name == _WANTED.name


def test_what_does_not_install_says_why_and_leaves_nothing(
    installer: _Installer, tmp_path: Path
) -> None:
    installer.fails = CannotInstall("no wheel for this Python")
    found = environment(_WANTED, cache=tmp_path)
    assert found.problem == "no wheel for this Python"
    assert found.run(["-c", "print(1)"]) == Ended(None, "", found.problem)
    assert list(tmp_path.iterdir()) == []


def test_what_was_stopped_is_made_again(installer: _Installer, tmp_path: Path) -> None:
    installer.fails = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        environment(_WANTED, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
    installer.fails = None
    (tmp_path / _WANTED.name).mkdir()
    assert not environment(_WANTED, cache=tmp_path).problem


def test_leftovers_of_killed_processes_go_after_an_hour(
    installer: _Installer, tmp_path: Path
) -> None:
    old, new = (tmp_path / f"{_WANTED.name}.{name}" for name in ("old", "new"))
    for left in (old, new):
        left.mkdir()
    os.utime(old, (0, 0))
    environment(_WANTED, cache=tmp_path)
    assert not old.exists()
    assert new.exists()


def test_the_newest_release_that_is_named_is_the_limit(
    installer: _Installer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    years = {"0.2.3": 2024, "0.5.0": 2025}
    uploads = {version: datetime.datetime(year, 1, 1) for version, year in years.items()}
    monkeypatch.setattr(environments, "uploaded", lambda package, version: uploads[version])
    for extra in ("jax", "jax<0.5.0", "jax>=0.5.0"):
        environment(Wanted(("optax==0.2.3",), (extra,)), cache=tmp_path)
    environment(Wanted((), ("optax", "jax<0.5.0")), cache=tmp_path)
    limits = [before.year if before else None for _, before in installer.asked]
    assert limits == [2024, 2024, 2025, None]


def test_a_release_that_is_not_there_is_a_reason(
    installer: _Installer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environments, "uploaded", releases.uploaded)
    monkeypatch.setattr(releases, "_files", lambda package: {})
    found = environment(_WANTED, cache=tmp_path)
    assert found.problem == "equinox 0.12.0 is not on the package index"


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Wanted(("jax>=0.5",)), "'jax>=0.5' does not name exactly one version"),
        (lambda: Wanted(("jax==0.5.*",)), "'jax==0.5.*' does not name exactly one version"),
        (lambda: Wanted((), ("jax=0.5",)), "'jax=0.5' is not a requirement"),
        (lambda: releases.releases("jax", "newest"), "'newest' is not a version specifier"),
    ],
)
def test_bad_requests_name_the_value_and_the_cure(make: object, line: str) -> None:
    assert callable(make)
    with pytest.raises(BadRequest) as caught:
        make()
    assert str(caught.value).startswith(line)
    assert "write for example" in str(caught.value)


def test_a_missing_extra_says_how_to_get_it() -> None:
    with pytest.raises(BadRequest, match=r"no_such_module.*pip install 'treelaws\[environments\]'"):
        requirements.tool("no_such_module")


def _here(folder: Path) -> Environment:
    path = environments.python_in(folder)
    path.parent.mkdir(parents=True)
    path.symlink_to(sys.executable)
    return Environment(_WANTED, folder)


@pytest.mark.skipif(os.name == "nt", reason="a link to an interpreter does not run there")
def test_a_run_sees_the_suite_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "leak.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    there = _here(tmp_path / "there")
    text = "import importlib.util as u; print([u.find_spec(n) is not None for n in {!r}])"
    asked = ["-S", "-c", text.format(["treelaws", "hypothesis_pytrees", "leak", "hypothesis"])]
    assert there.run(asked).out == "[True, True, False, False]\n"
    assert there.run(asked, suite=False).out == "[False, False, False, False]\n"


@pytest.mark.skipif(os.name == "nt", reason="a link to an interpreter does not run there")
def test_a_run_that_takes_too_long_is_stopped_with_what_it_started(tmp_path: Path) -> None:
    there = _here(tmp_path / "there")
    text = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    ended = there.run(["-c", f"import time; {text}; time.sleep(60)"], timeout=0.5)
    assert ended.code is None
    assert ended.reason == "stopped after 0.5 seconds"
    assert ended.seconds < 30


def test_an_interpreter_that_is_gone_is_told(tmp_path: Path) -> None:
    ended = Environment(_WANTED, tmp_path).run(["-c", ""])
    assert ended.code is None
    assert "cannot be started: No such file" in ended.reason


def _file(upload: datetime.datetime, python: str = "", *, yanked: bool = False) -> object:
    return types.SimpleNamespace(upload_time=upload, requires_python=python, is_yanked=yanked)


def test_releases_are_those_that_can_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    later = _DAY + datetime.timedelta(hours=1)
    files = {
        "0.4.34": [_file(_DAY)],
        "0.10.0": [_file(_DAY), _file(later)],
        "0.5.0": [_file(_DAY, ">=3.10")],
        "0.6.0": [_file(_DAY, "<3.8")],
        "0.7.0": [_file(_DAY, yanked=True)],
        "0.8.0rc1": [_file(_DAY)],
    }
    versions = {releases.Version(name): found for name, found in files.items()}
    monkeypatch.setattr(releases, "_files", lambda package: versions)
    found = releases.releases("jax")
    assert [(one.version, one.uploaded) for one in found] == [("0.5.0", _DAY), ("0.10.0", later)]
    assert [one.version for one in releases.releases("jax", "<0.5")] == ["0.4.34"]


def test_the_oldest_releases_are_those_of_the_dependencies() -> None:
    project = toml.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    texts = [*project["dependencies"], *(extras[name][0] for name in ("equinox", "flax", "optax"))]
    stated = dict(text.split(">=") for text in texts)
    assert {name: stated[name] for name in releases.OLDEST} == releases.OLDEST
    assert set(project["dependencies"]) - {f"jax>={stated['jax']}"} <= set(installing.TOOLS)


def test_settings_of_pip_and_uv_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL", "SSL_CERT_FILE", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    plain = installing._variables(Path("there"))
    assert plain["UV_NATIVE_TLS"] == plain["UV_SYSTEM_CERTS"] == "true"
    assert "UV_DEFAULT_INDEX" not in plain
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    monkeypatch.setenv("PIP_CERT", "certificates.pem")
    told = installing._variables(Path("there"))
    assert told["UV_DEFAULT_INDEX"] == "https://index.example/simple"
    assert told["SSL_CERT_FILE"] == "certificates.pem"


@pytest.mark.parametrize(
    "text",
    [
        "Using Python 3.11.7\n  \u00d7 None found:\n  \u2570\u2500\u25b6 Because a.\n\nhint: b",
        "error: None found\n  cause: Because a.\n",
    ],
)
def test_what_uv_says_is_put_on_one_line(text: str) -> None:
    assert installing._reason(text) == "None found: Because a."


def test_tools_are_installed_without_touching_the_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def uv(folder: Path, *words: str) -> str:
        constraints = [Path(word).read_text() for word in words if word.endswith("libraries.txt")]
        calls.append((words, constraints))
        return json.dumps([{"name": "ml_dtypes", "version": "0.5.1"}])

    monkeypatch.setattr(installing, "_uv", uv)
    python = interpreters.Interpreter("python3", "3.11.7")
    assert installing.install(tmp_path, python, ["jax==0.5.3"], _DAY) == {"ml-dtypes": "0.5.1"}
    _, libraries, _, tools, _ = calls
    assert "2025-03-01T00:00:00Z" in libraries[0]
    assert "jax==0.5.3" in libraries[0]
    assert tools[1] == ["ml-dtypes==0.5.1\n"]
    assert not [word for word in tools[0] if word == "--exclude-newer"]


def test_this_python_is_found_by_its_version() -> None:
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert interpreters.interpreter(running) == interpreters.interpreter()
    assert interpreters.interpreter(sys.executable).version == interpreters.interpreter().version


def test_no_python_is_a_bad_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreters, "tool", lambda name: _NoUv)
    with pytest.raises(BadRequest, match=r"Python '3\.99' is not found; install it"):
        interpreters.interpreter("3.99")


class _NoUv:
    @staticmethod
    def find_uv_bin() -> str:
        return "no-such-program"


def test_the_command_needs_no_extra_to_show_its_help() -> None:
    command = [sys.executable, "-m", "treelaws", "bisect", "--help"]
    path = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance")])
    variables = {**os.environ, "PYTHONPATH": path}
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert "--package" in ended.stdout
