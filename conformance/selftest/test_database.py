"""Databases of examples: one machine replays first what another has found."""

from __future__ import annotations

import datetime
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.errors import HypothesisWarning

from treelaws.core import problems
from treelaws.core.databases import urls
from treelaws.core.databases.fallback import FallbackDatabase
from treelaws.reporting.report import read

from .pytest_runs import ran
from .redis_servers import redis_server

# One number in 199 breaks the law, so that the first that is tried says where it comes from.
_LAWS = """
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
    same(lib.double(case.number), case.number + case.number)


@law("another law", source="here", case=st.just(case(1)))
def one_is_one(lib, case):
    same(1, 1)


TestRare = law_tests(sys.modules[__name__], subjects=["broken"])
"""
_BREAKS = 199, 100
_SEARCH = ("--laws-profile", "thorough", "--report=found")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Start a Redis server, and give its URL."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on the PATH: apt-get install redis-server")
    with redis_server(tmp_path) as (url, _):
        yield url


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


def test_a_breach_found_by_one_machine_is_tried_first_by_another(
    tmp_path: Path, server: str
) -> None:
    _search(tmp_path / "first", f"--database={server}")
    alone = ran(_house(tmp_path / "alone"), "--database=none")
    assert not _breaks(_tried(tmp_path / "alone")[0]), alone.stdout
    for workers in ("0", "2"):
        folder = _house(tmp_path / workers)
        shared = ran(folder, f"--database={server}", "-n", workers)
        assert shared.returncode == 1, shared.stdout
        assert _breaks(_tried(folder)[0])
        assert len(_tried(folder)) < len(_tried(tmp_path / "alone"))
        assert not (folder / ".hypothesis" / "examples").exists()


@pytest.mark.sweep
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
    with pytest.raises(urls.BadDatabase) as raised:
        urls.check(url, profile="default", seed=None)
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
    with pytest.raises(urls.BadDatabase, match=f"kept: {option} repeats the same inputs in"):
        urls.check("kept", profile=profile, seed=seed)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    urls.database.cache_clear()
    with pytest.raises(urls.BadDatabase, match=r"pip install 'treelaws\[redis\]'"):
        urls.database("redis://localhost:6379/0")


def test_no_database_goes_with_the_same_inputs_in_every_run() -> None:
    urls.check("none", profile="ci", seed="1")
    assert urls.database("none") is None


def test_a_folder_of_windows_is_no_scheme() -> None:
    assert os.path.basename(str(urls.database(r"C:\examples"))).startswith("C:")


class _Failing(InMemoryExampleDatabase):
    def fetch(self, key: bytes) -> list[bytes]:
        raise ConnectionError(f"no\nanswer about {key.decode()}")

    def save(self, key: bytes, value: bytes) -> None:
        self.fetch(key)


def test_a_fallback_database_passes_everything_on_until_it_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
    monkeypatch.setattr(problems, "collected", False)
    failing = FallbackDatabase(_Failing(), "it", (OSError,))
    with pytest.warns(
        HypothesisWarning, match="it no longer answers: no answer about one; the run went on"
    ):
        assert list(failing.fetch(b"one")) == []
    failing.save(b"one", b"value")
    assert list(failing.fetch(b"one")) == []
