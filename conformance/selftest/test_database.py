"""Databases of examples: one machine replays first what another has found."""

from __future__ import annotations

import datetime
import os
import shutil
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.errors import HypothesisWarning

from treelaws.core import databases
from treelaws.core.fallback_database import FallbackDatabase
from treelaws.reporting.report import read

from .pytest_runs import ran

# One number in 199 breaks the law, so that the first that is tried says where it comes from.
_LAWS = """
import os
import signal
import sys
from types import SimpleNamespace
from hypothesis import strategies as st
from hypothesis_pytrees import Recipe
from treelaws import Subject, Topic, law_tests, register
from treelaws.equality import same

law = Topic("house.rare", "Rare", family="jax")


def case(number):
    return Recipe(statements=(f"number = {number}",), expression="number")


def double(number):
    return 2 * number + (number % 199 == 100)


register(Subject("broken", "jax", lambda: SimpleNamespace(double=double)))


@law("double(n) is n + n", source="here", case=st.integers(0, 2**40).map(case))
def double_doubles(lib, case):
    with open("tried.txt", "a") as tried:
        print(case.number, file=tried)
    if "STOP" in os.environ:
        os.kill(int(os.environ["STOP"]), signal.SIGKILL)
    same(lib.double(case.number), case.number + case.number)


@law("another law", source="here", case=st.just(case(1)))
def one_is_one(lib, case):
    same(1, 1)


TestRare = law_tests(sys.modules[__name__], subjects=["broken"])
"""
_BREAKS = 199, 100
_SEARCH = ("--laws-profile", "thorough", "--report=found")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Start a Redis server, and give its URL and the id of its process."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not on the PATH: apt-get install redis-server")
    pytest.importorskip("redis")
    port = _free_port()
    options = ["--port", str(port), "--save", "", "--dir", str(tmp_path), "--bind", "127.0.0.1"]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        url = f"redis://127.0.0.1:{port}/3"
        _wait_for(url)
        yield url, process.pid
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 30
    while not _answers(url):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _answers(url: str) -> bool:
    try:
        databases.check(url, profile="default", seed=None)
    except databases.BadDatabase:
        return False
    return True


def _house(folder: Path) -> Path:
    folder.mkdir()
    (folder / "test_rare.py").write_text(_LAWS)
    (folder / "conftest.py").write_text("")
    return folder


def _tried(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "tried.txt").read_text().split()]


def _breaks(number: int) -> bool:
    divisor, rest = _BREAKS
    return number % divisor == rest


def _search(folder: Path, *arguments: str) -> None:
    """Find a breach by a long search that begins with what breaks nothing."""
    run = ran(_house(folder), *_SEARCH, *arguments)
    assert run.returncode == 1, run.stdout + run.stderr
    assert [row.verdict for row in read(folder / "found").rows] == ["broken", "held"]
    assert not _breaks(_tried(folder)[0])


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_breach_found_by_one_machine_is_tried_first_by_another(
    tmp_path: Path, server: tuple[str, int], workers: str
) -> None:
    url = server[0]
    _search(tmp_path / "first", f"--database={url}")
    alone = ran(_house(tmp_path / "alone"), "--database=none")
    assert not _breaks(_tried(tmp_path / "alone")[0]), alone.stdout
    shared = ran(_house(tmp_path / "second"), f"--database={url}", "-n", workers)
    assert shared.returncode == 1, shared.stdout
    assert _breaks(_tried(tmp_path / "second")[0])
    assert len(_tried(tmp_path / "second")) < len(_tried(tmp_path / "alone"))
    assert not (tmp_path / "second" / ".hypothesis" / "examples").exists()


def test_a_server_that_stops_costs_no_verdict(tmp_path: Path, server: tuple[str, int]) -> None:
    url, process = server
    run = ran(_house(tmp_path / "house"), f"--database={url}", "--report=kept", STOP=str(process))
    rows = read(tmp_path / "house" / "kept").rows
    assert {row.verdict for row in rows} <= {"held", "broken"}, run.stdout
    assert rows[1].verdict == "held"
    assert f"{url} no longer answers" in run.stdout
    assert run.stdout.count("no longer answers") == 1


@pytest.mark.parametrize("form", ["{}", "dir:{}"])
def test_a_folder_is_shared(tmp_path: Path, form: str) -> None:
    url = form.format(tmp_path / "shared")
    _search(tmp_path / "first", f"--database={url}")
    ran(_house(tmp_path / "second"), f"--database={url}")
    assert _breaks(_tried(tmp_path / "second")[0])


def test_an_artifact_of_github_is_read_beside_the_own_folder(tmp_path: Path) -> None:
    _search(tmp_path / "first", "--database=kept")
    second = _house(tmp_path / "second")
    # Hypothesis keeps what it has downloaded for a day, by the time of the download.
    cache = second / ".hypothesis" / "github-artifacts" / "hypothesis-example-db"
    cache.mkdir(parents=True)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat().replace(":", "_")
    with zipfile.ZipFile(cache / f"{now}.zip", "w") as archive:
        kept = tmp_path / "first" / "kept"
        for path in sorted(kept.rglob("*")):
            archive.write(path, path.relative_to(kept))
    for _ in range(2):
        run = ran(second, "--database=github://owner/repository")
        assert run.returncode == 1, run.stdout + run.stderr
        assert _breaks(_tried(second)[0])
        (second / "tried.txt").unlink()
    assert (second / ".hypothesis" / "examples").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://bucket", "s3://bucket: unknown scheme 's3'; give a folder, redis://HOST"),
        ("memory:", "memory:: unknown scheme 'memory'; give a folder"),
        ("", "'' names no folder; give a folder, redis://HOST"),
        ("dir:", "'dir:' names no folder; give a folder, redis://HOST"),
        ("file/below", "file/below: cannot be written: Not a directory; give a folder"),
        ("redis://", "redis://: not the address of a server; give redis://HOST:PORT/NUMBER"),
        ("redis://host/first", "redis://host/first: not the address of a server; give redis://"),
        ("redis://host:port/0", "redis://host:port/0: Port could not be cast to integer"),
        ("redis://127.0.0.1:1/0", "no Redis server answers: Error 111 connecting to 127.0.0.1"),
        ("redis://me:secret@127.0.0.1:1", "redis://me:***@127.0.0.1:1: no Redis server answers"),
        ("github://owner", "github://owner: not a repository; give github://OWNER/REPOSITORY"),
        ("github://o/r", "github://o/r: Could not connect to GitHub to get the latest artifact;"),
    ],
)
def test_a_bad_database_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, said: str
) -> None:
    if url.startswith("redis"):
        pytest.importorskip("redis")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    # A proxy that is not there stands for a network that is not.
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    with pytest.raises(databases.BadDatabase) as raised:
        databases.check(url, profile="default", seed=None)
    line = str(raised.value)
    assert said in line
    assert "\n" not in line
    assert "secret" not in line


@pytest.mark.parametrize(
    ("profile", "seed", "option"),
    [("ci", None, "--laws-profile ci"), ("default", "1", "--hypothesis-seed")],
)
def test_a_run_that_keeps_no_examples_is_refused(
    profile: str, seed: str | None, option: str
) -> None:
    with pytest.raises(databases.BadDatabase, match=f"kept: {option} repeats the same inputs in"):
        databases.check("kept", profile=profile, seed=seed)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    databases.database.cache_clear()
    with pytest.raises(databases.BadDatabase, match=r"pip install 'treelaws\[redis\]'"):
        databases.database("redis://localhost:6379/0")


def test_no_database_goes_with_the_same_inputs_in_every_run() -> None:
    databases.check("none", profile="ci", seed="1")
    assert databases.database("none") is None


def test_a_folder_of_windows_is_no_scheme() -> None:
    assert os.path.basename(str(databases.database(r"C:\examples"))).startswith("C:")


class _Failing(InMemoryExampleDatabase):
    def fetch(self, key: bytes) -> list[bytes]:
        raise ConnectionError(f"no\nanswer about {key.decode()}")

    def save(self, key: bytes, value: bytes) -> None:
        self.fetch(key)


def test_a_fallback_database_passes_everything_on_until_it_fails() -> None:
    inner = InMemoryExampleDatabase()
    fallback = FallbackDatabase(inner, "it", (OSError,))
    changes: list[object] = []
    fallback.add_listener(changes.append)
    fallback.save(b"one", b"value")
    fallback.move(b"one", b"two", b"value")
    assert list(fallback.fetch(b"two")) == list(inner.fetch(b"two")) == [b"value"]
    fallback.delete(b"two", b"value")
    assert not list(inner.fetch(b"two"))
    assert len(changes) == 4
    failing = FallbackDatabase(_Failing(), "it", (OSError,))
    with pytest.warns(
        HypothesisWarning, match="it no longer answers: no answer about one; the run"
    ):
        assert list(failing.fetch(b"one")) == []
    failing.save(b"one", b"value")
    assert list(failing.fetch(b"one")) == []
