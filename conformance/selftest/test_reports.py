"""The reports of a run: every verdict, the same with and without workers, whole after a stop."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from treelaws.reporting.collecting import Collector
from treelaws.reporting.markdown import markdown
from treelaws.reporting.report import BadReport, Report, read, run_facts
from treelaws.reporting.rows import VERDICTS, Row, worst
from treelaws.reporting.stream import NAME, replayed

from .known_text import known_text
from .python_runs import run_python
from .report_examples import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
_LAWS = """
import os
import signal
import sys
import time
from hypothesis_pytrees import trees
from hypothesis_pytrees import cases
from treelaws import Topic, law_tests
from treelaws.equality import same, true

law = Topic("house.example", "Example", family="jax")
_CASE = cases(tree=trees(max_leaves=2))


@law("one is one", source="here", case=_CASE)
def one_is_one(lib, case):
    same(1, 1)


@law("one is two", source="here", case=_CASE)
def one_is_two(lib, case):
    same(1, 2)


@law("a child of it", source="here", case=_CASE, parents=(one_is_two,))
def two_is_three(lib, case):
    same(2, 3)


@law("one is four", source="here", case=_CASE, level="observed")
def one_is_four(lib, case):
    # The address of an object is another one in each run.
    same(object(), 4)


@law("nobody claims this", source="here", case=_CASE, needs={"no.such.name"})
def nobody_has_it(lib, case):
    same(1, 1)


@law("a law with something to wait for", source="here", case=_CASE)
def waits(lib, case):
    if "SLOW" in os.environ:
        time.sleep(60)
    if "KILL" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)


TestExample = law_tests(sys.modules[__name__])


def test_of_something_else():
    pass
"""
# A shell that runs jobs in the background lets them ignore Ctrl-C.
_INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("pytest", run_name="__main__")
"""
_STALE = known_text("jax.map.unflatten_undoes_flatten")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a folder with a file of laws that have every kind of verdict."""
    (tmp_path / "test_example.py").write_text(_LAWS)
    (tmp_path / "conftest.py").write_text("")
    return tmp_path


def _command(*arguments: str) -> list[str]:
    start = ["-m", "pytest", "-p", "no:cacheprovider", "-p", "treelaws.plugin"]
    return [*start, "--laws-profile", "quick", "--hypothesis-seed=1", *arguments]


def _environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance")])
    return {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **more}


def _run(house: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return run_python(
        _command("--report", "kept", *arguments), cwd=house, environment=_environment(**more)
    )


def _timeless(report: Report) -> dict[str, Any]:
    content = report.content()
    rows = [{**row, "seconds": 0} for row in content["rows"]]
    return {**content, "rows": rows, "started": "", "seconds": 0}


def _verdicts(report: Report) -> dict[str, str]:
    return {row.law.rpartition(".")[2]: row.verdict for row in report.rows}


def test_each_test_of_a_law_has_its_verdict(house: Path) -> None:
    run = _run(house)
    report = read(house / "kept")
    assert run.returncode == 1
    assert report.complete
    assert _verdicts(report) == {
        "one_is_one": "held",
        "one_is_two": "broken",
        "two_is_three": "blocked",
        "one_is_four": "broken",
        "nobody_has_it": "skipped",
        "waits": "held",
    }
    broken = next(row for row in report.rows if row.law == "house.example.one_is_two")
    assert broken.answer == "reproduces"
    assert "got" in broken.difference
    assert [row.law for row in report.rows if row.fails] == ["house.example.one_is_two"]
    assert "broken: house.example.one_is_two [jax]" in run.stdout
    jsonschema.validate(report.content(), json.loads(SCHEMA.read_text()))


@pytest.mark.sweep
def test_workers_change_nothing_but_times(house: Path) -> None:
    reports = []
    for processes in ("0", "2"):
        _run(house, "-n", processes)
        reports.append(_timeless(read(house / "kept")))
    assert reports[0] == reports[1]


def test_stale_and_known_departures_have_verdicts_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(_STALE)
    (tmp_path / "test_known.py").write_text("from treelaws.tests.test_findings import *\n")
    (tmp_path / "conftest.py").write_text("")
    run = _run(tmp_path, "--known", "known.toml", "--laws", "jax.map.*", "--subject", "jax")
    rows = {row.departure: row for row in read(tmp_path / "kept").rows}
    assert run.returncode == 1, run.stdout
    stale = rows.pop("example")
    assert (stale.verdict, stale.fails) == ("stale-known", True)
    assert "no longer breaks" in stale.reason
    assert {row.verdict for row in rows.values()} <= {"known"}


def test_junit_has_the_law_and_the_versions(house: Path) -> None:
    _run(house, "--junit-xml", "junit.xml")
    suite = ElementTree.parse(house / "junit.xml").getroot()[0]
    found = {one.get("name"): one.get("value") for one in suite.iterfind("properties/property")}
    assert "jax" in found
    cases = [
        {one.get("name"): one.get("value") for one in case.iterfind("properties/property")}
        for case in suite.iterfind("testcase")
    ]
    laws = {case["law"]: case["verdict"] for case in cases if case}
    assert laws["house.example.one_is_two"] == "broken"
    assert all("treelaws" not in name for case in cases for name in case if name)


def test_summary_of_a_ci_job_is_appended(house: Path) -> None:
    summary = house / "summary.md"
    summary.write_text("before\n")
    _run(house, GITHUB_STEP_SUMMARY=str(summary))
    text = summary.read_text()
    assert text.startswith("before\n# treelaws\n")
    assert "## broken: `house.example.one_is_two` [jax]" in text


def test_a_worker_that_dies_is_an_error_of_its_law(house: Path) -> None:
    run = _run(house, "-n", "2", KILL="1")
    report = read(house / "kept")
    lost = next(row for row in report.rows if row.law == "house.example.waits")
    assert lost.verdict == "error"
    assert re.fullmatch(r"worker gw[01] died on the input of its script; .*", lost.reason)
    # The law is known in the file of the user alone, so the script builds the input.
    assert "\ntree = " in lost.script
    assert (house / "kept" / "witnesses" / "house.example.waits[jax].py").read_text() == lost.script
    assert f"error: house.example.waits [jax]: {lost.reason}" in run.stdout
    assert "between two tests" not in run.stdout
    assert _verdicts(report)["one_is_one"] == "held"
    assert report.complete


@pytest.mark.sweep
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_leaves_an_incomplete_report(house: Path, sign: int) -> None:
    asked = _command("--report", "kept", "test_example.py")[2:]
    process = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTIBLE, *asked],
        cwd=house,
        env=_environment(SLOW="1"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    events = house / "kept" / NAME
    deadline = time.monotonic() + 120
    while not (events.exists() and '"verdict": "skipped"' in events.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(sign)
    process.wait(timeout=60)
    report = replayed(house / "kept") if sign == signal.SIGKILL else read(house / "kept")
    assert not report.complete
    assert _verdicts(report)["waits"] == "not run"
    assert _verdicts(report)["one_is_two"] == "broken"
    assert len(list((house / "kept" / "witnesses").glob("*.json"))) == 2


@pytest.mark.sweep
def test_a_full_disk_costs_the_report_and_no_verdict(house: Path) -> None:
    # A limit on the size of files stands for the disk.
    limited = ["bash", "-c", 'ulimit -f 2; exec "$@"', "-"]
    command = [*limited, sys.executable, *_command("--report", "kept")]
    run = subprocess.run(command, cwd=house, env=_environment(), capture_output=True, text=True)
    assert run.returncode == 1, run.stdout
    assert "cannot be written: File too large" in run.stdout
    assert not replayed(house / "kept").complete
    assert not list((house / "kept").rglob("*.unfinished"))
    assert "1 failed" in run.stdout


def test_a_report_is_made_anew_from_the_events(house: Path) -> None:
    _run(house)
    wanted = (house / "kept" / "report.json").read_text()
    (house / "kept" / "report.json").unlink()
    run = run_python(["-m", "treelaws", "report", "kept"], cwd=house, environment=_environment())
    assert run.returncode == 0, run.stderr
    assert (house / "kept" / "report.json").read_text() == wanted


def test_a_folder_that_cannot_be_made_is_refused(house: Path) -> None:
    (house / "kept").write_text("a file")
    run = _run(house)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--report: kept cannot be written" in run.stderr


def test_runs_that_begin_in_one_second_have_folders_of_their_own(tmp_path: Path) -> None:
    wanted, latest = tmp_path / "runs" / "now", tmp_path / "runs" / "latest"
    facts = run_facts("2026-01-01T00:00:00+00:00", None)
    for _ in range(3):
        Collector(facts, wanted, latest).finish(1.0)
    assert sorted(path.name for path in wanted.parent.iterdir()) == [
        "latest",
        "now",
        "now-2",
        "now-3",
    ]
    assert latest.resolve().name == "now-3"


def test_the_worse_of_two_verdicts_stands() -> None:
    rows = [Row("a.law", "jax", verdict) for verdict in reversed(VERDICTS)]
    assert [row.verdict for row in worst(rows)] == ["error"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a report of format 1"),
        ('{"format": 9}', "its format is 9"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(BadReport, match=said):
        read(tmp_path)
    with pytest.raises(BadReport, match="cannot be read"):
        replayed(tmp_path)


def test_markdown_keeps_what_a_subject_prints_apart() -> None:
    row = Row("a.law", "`<b>`", "broken", difference="```\n# not a heading\n```")
    facts = {"libraries": {}, "python": "3", "backend": "cpu", "x64": False}
    suite = {"profile": "quick", "edition": "2026.1", "seed": None}
    text = markdown(Report(facts, suite, {}, (row,)))
    assert "````\n```\n# not a heading\n```\n````" in text
    assert "<b>" not in text
