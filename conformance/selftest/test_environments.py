"""Versions are resolved once, whole or not at all; nothing here needs the network."""

from __future__ import annotations

import datetime
import functools
import http.server
import os
import signal
import subprocess
import sys
import threading
import time
import types
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from treelaws.compat import toml
from treelaws.releases.environments import (
    environments,
    index as releases,
    interpreters,
    requirements,
    resolving,
)
from treelaws.releases.environments.environments import (
    BadRequest,
    Ended,
    Wanted,
    environment,
)
from treelaws.releases.environments.resolving import CannotInstall

ROOT = Path(__file__).resolve().parents[2]
_SUITE = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance")])
_DAY = datetime.datetime(2025, 3, 1, tzinfo=datetime.timezone.utc)
_WANTED = Wanted(("equinox==0.12.0",), ("jax==0.5.3", "optax"))


class _Uv:
    """Takes the place of `resolve` and `install`."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], datetime.datetime | None]] = []
        self.list = "equinox==0.12.0\nml-dtypes==0.5.1\n"
        self.fails: BaseException | None = None
        self.cannot_install = ""

    def resolve(self, folder: Path, python: str, requirements: Iterable[str], before: Any) -> str:
        assert folder.is_dir()
        assert Path(python).exists()
        self.asked.append((tuple(requirements), before))
        if self.fails is not None:
            raise self.fails
        return self.list

    def install(self, versions: Path, python: str) -> None:
        if self.cannot_install:
            raise CannotInstall(self.cannot_install)


@pytest.fixture
def uv(monkeypatch: pytest.MonkeyPatch) -> _Uv:
    found = _Uv()
    monkeypatch.setattr(environments, "resolve", found.resolve)
    monkeypatch.setattr(environments, "install", found.install)
    monkeypatch.setattr(environments, "uploaded", lambda package, version: _DAY)
    return found


def test_versions_are_resolved_once(uv: _Uv, tmp_path: Path) -> None:
    first = environment(_WANTED, cache=tmp_path)
    assert first.versions == {"equinox": "0.12.0", "ml-dtypes": "0.5.1"}
    uv.list = "equinox==0.12.0\nml-dtypes==0.6.0\n"
    assert environment(_WANTED, cache=tmp_path) == first
    assert uv.asked == [
        (("equinox==0.12.0", "jax==0.5.3", "optax"), _DAY + datetime.timedelta(days=1))
    ]
    again = environment(_WANTED, cache=tmp_path, fresh=True)
    assert again.versions["ml-dtypes"] == "0.6.0"
    assert again.file == first.file
    assert first.file.read_text() == uv.list


def test_what_differs_has_another_list() -> None:
    names = {
        _WANTED.name,
        Wanted(_WANTED.pins).name,
        Wanted(("equinox==0.12.1",), _WANTED.extra).name,
        Wanted(_WANTED.extra[:1], _WANTED.pins).name,
    }
    assert len(names) == 4
    assert Wanted(_WANTED.pins, _WANTED.extra[::-1]).name == _WANTED.name


def test_what_does_not_resolve_says_why_and_leaves_nothing(uv: _Uv, tmp_path: Path) -> None:
    uv.fails = CannotInstall("no wheel for this Python")
    found = environment(_WANTED, cache=tmp_path)
    assert found.problem == "no wheel for this Python"
    assert found.run(["-c", "print(1)"]) == Ended(None, "", found.problem)
    assert list(tmp_path.iterdir()) == []


def test_what_no_longer_installs_says_how_to_resolve_again(uv: _Uv, tmp_path: Path) -> None:
    uv.cannot_install = "no network"
    first, again = (environment(_WANTED, cache=tmp_path) for _ in range(2))
    assert first.problem == "no network"
    assert again.problem.startswith("no network; if the index no longer has a version in ")
    assert again.problem.endswith(f"{again.file}, remove that file")
    uv.cannot_install = ""
    assert not environment(_WANTED, cache=tmp_path).problem


def test_what_was_stopped_is_made_again(uv: _Uv, tmp_path: Path) -> None:
    uv.fails = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        environment(_WANTED, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []
    uv.fails = None
    assert not environment(_WANTED, cache=tmp_path).problem


def test_a_cache_that_cannot_be_written_is_told(uv: _Uv, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = environment(_WANTED, cache=tmp_path / "file")
    assert found.problem.startswith(f"{found.file} cannot be written: ")


def test_the_newest_release_that_is_named_is_the_limit(
    uv: _Uv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    years = {"0.2.3": 2024, "0.5.0": 2025}
    uploads = {version: datetime.datetime(year, 1, 1) for version, year in years.items()}
    monkeypatch.setattr(environments, "uploaded", lambda package, version: uploads[version])
    for extra in ("jax", "jax<0.5.0", "jax>=0.5.0"):
        environment(Wanted(("optax==0.2.3",), (extra,)), cache=tmp_path)
    environment(Wanted((), ("optax", "jax<0.5.0")), cache=tmp_path)
    limits = [before.year if before else None for _, before in uv.asked]
    assert limits == [2024, 2024, 2025, None]


def test_a_release_that_is_not_there_is_a_reason(
    uv: _Uv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wanted:
    """Request a package of an index in a folder, without the tools of the suite."""
    house = tmp_path / "index" / "tiny"
    house.mkdir(parents=True)
    wheel = "tiny-1.0-py3-none-any.whl"
    about = "tiny-1.0.dist-info"
    with zipfile.ZipFile(house / wheel, "w") as file:
        file.writestr("tiny.py", "")
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")
    (house / "index.html").write_text(f'<a href="{wheel}">{wheel}</a>')
    for name in os.environ:
        if name.startswith("UV_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_DEFAULT_INDEX", house.parent.as_uri())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UV_CACHE_DIR", "uv")
    monkeypatch.setattr(environments, "uploaded", lambda package, version: None)
    monkeypatch.setattr(resolving, "TOOLS", ())
    return Wanted(("Tiny==1.0",))


def test_a_run_has_the_versions_and_nothing_else(
    tiny: Wanted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("leak.py", "hypothesis.py"):
        (tmp_path / name).write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    there = environment(tiny, cache=tmp_path / "lists")
    assert there.problem == ""
    assert there.versions == {"tiny": "1.0"}
    names = ["tiny", "treelaws", "hypothesis_pytrees", "leak", "hypothesis", "pytest"]
    text = f"import importlib.util as u; print([n for n in {names} if u.find_spec(n)])"
    assert there.run(["-c", text]).out == f"{names[:3]}\n"
    assert there.run(["-c", text], suite=False).out == f"{names[:1]}\n"
    listed = there.run(["-c", "import os; print(os.listdir())"])
    assert (listed.out, listed.err, listed.code) == ("[]\n", "", 0)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_a_second_use_needs_no_index(
    tiny: Wanted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = functools.partial(_Quiet, directory=str(tmp_path / "index"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        first = environment(tiny, cache=tmp_path / "lists")
        server.shutdown()
    assert not first.problem
    again = environment(tiny, cache=tmp_path / "lists")
    assert again == first
    assert again.run(["-c", "import tiny"]).code == 0


def test_a_working_directory_is_kept_and_its_settings_are_not_read(
    tiny: Wanted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_NO_CONFIG")
    there = environment(tiny, cache=tmp_path / "lists")
    project = tmp_path / "project"
    project.mkdir()
    (project / "uv.toml").write_text("no-index = 'neither yes nor no'\n")
    (project / ".python-version").write_text("2.7\n")
    ended = there.run(["-c", "import os; print(os.getcwd())"], folder=project)
    assert (ended.out, ended.err) == (f"{project.resolve()}\n", "")


@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
def test_exit_codes_come_through(tiny: Wanted, tmp_path: Path) -> None:
    there = environment(tiny, cache=tmp_path / "lists")
    assert there.run(["-c", "import sys; sys.exit('why')"]).reason == "why"
    assert there.run(["-c", "import sys; sys.exit(7)"]).code == 7
    for number in (signal.SIGKILL, signal.SIGSEGV):
        ended = there.run(["-c", f"import os; os.kill(os.getpid(), {number})"])
        assert ended.code == 128 + number


@pytest.mark.skipif(os.name == "nt", reason="processes are looked for by signals")
def test_a_run_that_takes_too_long_is_stopped_with_what_it_started(
    tiny: Wanted, tmp_path: Path
) -> None:
    there = environment(tiny, cache=tmp_path / "lists")
    text = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(os.getppid(), os.getpid(), child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    ended = there.run(["-c", text], timeout=3)
    assert ended.code is None
    assert ended.reason == "stopped after 3 seconds"
    assert ended.seconds < 30
    started = [int(word) for word in ended.out.split()]
    assert len(started) == 3
    deadline = time.monotonic() + 20
    while any(_alive(process) for process in started):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _alive(process: int) -> bool:
    # Where nothing collects orphans, they stay in the table as zombies.
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True)
    return shown.stdout.strip()[:1] not in (b"", b"Z")


def test_an_interpreter_that_is_gone_is_told(
    tiny: Wanted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = environment(tiny, cache=tmp_path / "lists")
    gone = interpreters.Interpreter(
        str(tmp_path / "python-gone"), interpreters.interpreter().version
    )
    monkeypatch.setattr(environments, "interpreter", lambda python: gone)
    assert "python-gone" in environment(tiny, cache=tmp_path / "lists").problem
    ended = there.run(["-c", ""])
    assert ended.code != 0
    assert "python-gone" in ended.err


def test_two_processes_make_the_same_at_once(tiny: Wanted, tmp_path: Path) -> None:
    text = (
        "from pathlib import Path\n"
        "from treelaws.releases.environments import environments, resolving\n"
        "resolving.TOOLS, environments.uploaded = (), lambda package, version: None\n"
        f"wanted, cache = environments.{tiny!r}, Path({str(tmp_path / 'lists')!r})\n"
        "for _ in range(3):\n"
        "    there = environments.environment(wanted, cache=cache, fresh=True)\n"
        "    assert not there.problem, there.problem\n"
        "    assert there.versions == {'tiny': '1.0'}, there.versions\n"
    )
    variables = {**os.environ, "PYTHONPATH": _SUITE}
    made = [
        subprocess.Popen([sys.executable, "-c", text], env=variables, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    assert [process.communicate()[1] for process in made] == [b"", b""]
    assert [path.name for path in (tmp_path / "lists").iterdir()] == [f"{tiny.name}.txt"]


def test_a_uv_that_does_not_start_is_told(
    tiny: Wanted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolving, "tool", lambda name: _NoUv)
    found = environment(tiny, cache=tmp_path / "lists")
    assert found.problem.startswith("no-such-program cannot be started: ")


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
    assert set(project["dependencies"]) - {f"jax>={stated['jax']}"} <= set(resolving.TOOLS)


def test_settings_of_pip_and_uv_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL", "SSL_CERT_FILE", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    plain = resolving.variables()
    assert plain["UV_NATIVE_TLS"] == plain["UV_SYSTEM_CERTS"] == "true"
    assert "UV_DEFAULT_INDEX" not in plain
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    monkeypatch.setenv("PIP_CERT", "certificates.pem")
    told = resolving.variables()
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
    assert resolving._reason(text) == "None found: Because a."


def test_tools_do_not_change_the_versions_of_the_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[Sequence[str], str]] = []

    def said(command: Sequence[str], given: str) -> str:
        calls.append((command, given))
        return "ml-dtypes==0.5.1\n"

    monkeypatch.setattr(resolving, "_said", said)
    resolving.resolve(tmp_path, sys.executable, ["jax==0.5.3", "optax"], _DAY)
    (libraries, given), (tools, beside) = calls
    assert "2025-03-01T00:00:00Z" in libraries
    assert given.split() == ["jax==0.5.3", "optax"]
    assert beside.startswith("ml-dtypes==0.5.1\n")
    assert set(resolving.TOOLS) <= set(beside.splitlines())
    assert "--exclude-newer" not in tools


def test_variables_that_would_change_a_run_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTEST_ADDOPTS", "UV_PYTHON"}
    for name in hidden | {"KEPT"}:
        monkeypatch.setenv(name, "given")
    assert resolving.variables()["KEPT"] == "given"
    assert not hidden & set(resolving.variables())


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
    variables = {**os.environ, "PYTHONPATH": _SUITE}
    ended = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    assert "--package" in ended.stdout
