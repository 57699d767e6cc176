"""The reports of shards, joined: the verdicts of one run, or one line that says why not."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from treelaws.__main__ import main
from treelaws.reporting.report import Report, read
from treelaws.reporting.rows import Row
from treelaws.reporting.stream import NAME, replayed

from . import report_examples
from .pytest_runs import ran, told

_LAWS = """
import sys
from hypothesis_pytrees import trees
from hypothesis_pytrees import cases
from treelaws import Topic, law_tests
from treelaws.equality import same

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
    same(1, 4)


@law("nobody claims this", source="here", case=_CASE, needs={"no.such.name"})
def nobody_has_it(lib, case):
    same(1, 1)


TestExample = law_tests(sys.modules[__name__])
"""
_LAW = "node.flatten.first"
Parts = Callable[..., list[str]]


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parts:
    """Return a function that writes reports into folders `a`, `b` and so on, and names these."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def write(*reports: Report) -> list[str]:
        names = ["a", "b", "c"][: len(reports)]
        for name, report in zip(names, reports, strict=True):
            report.write(Path(name, "report.json"))
        return names

    return write


def _part(subject: str, shard: str = "", *, law: str = "first", **changed: Any) -> Report:
    suite = report_examples.RUN["suite"] | ({"shard": shard} if shard else {})
    rows = [Row(_LAW, subject, "held", examples=9, seconds=0.5)]
    laws = {_LAW: report_examples.told(law)}
    return report_examples.report(rows, laws, **{"suite": suite, **changed})


def _changed(which: str, **changed: Any) -> dict[str, Any]:
    return {which: report_examples.RUN[which] | changed}


def _rows(report: Report) -> list[Row]:
    # The number of examples before a breach is that of the search, which is the same.
    return [dataclasses.replace(row, seconds=0) for row in report.rows]


def _files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "witnesses").iterdir()}


@pytest.mark.sweep
def test_shards_joined_are_what_one_run_finds(tmp_path: Path) -> None:
    (tmp_path / "test_example.py").write_text(_LAWS)
    (tmp_path / "conftest.py").write_text("")
    seeded = ("--hypothesis-seed=1",)
    ran(tmp_path, *seeded, "--report", "whole")
    for number in ("1", "2"):
        ran(tmp_path, *seeded, "--report", number, "--shard", f"{number}/2")
        assert read(tmp_path / number).suite["shard"] == f"{number}/2"
        assert read(tmp_path / number).complete
    run = told(tmp_path, "merge", "2", "1", "--report", "joint")
    assert run.returncode == 1, run.stderr
    assert "broken: house.example.one_is_two [jax]" in run.stdout
    whole, joint = read(tmp_path / "whole"), read(tmp_path / "joint")
    assert {row.verdict for row in whole.rows} == {"held", "broken", "blocked", "skipped"}
    assert _rows(joint) == _rows(whole)
    assert (joint.environment, joint.suite) == (whole.environment, whole.suite)
    assert (joint.laws, joint.complete) == (whole.laws, True)
    assert joint.seconds == sum(read(tmp_path / number).seconds for number in ("1", "2"))
    assert _files(tmp_path / "joint") == _files(tmp_path / "whole")
    names = {path.name for path in (tmp_path / "joint").iterdir()}
    assert names | {".lock"} == {path.name for path in (tmp_path / "whole").iterdir()}
    assert "one_is_two" in (tmp_path / "joint" / "report.html").read_text()
    assert replayed(tmp_path / "joint") == joint
    for number in ("1", "2", "joint"):
        content = json.loads((tmp_path / number / "report.json").read_text())
        jsonschema.validate(content, json.loads(report_examples.SCHEMA.read_text()))


def test_parts_of_laws_chosen_by_name_are_joined_too(parts: Parts) -> None:
    assert main(["merge", *parts(_part("list"), _part("dict")), "--report", "joint"]) == 0
    assert [row.subject for row in read(Path("joint")).rows] == ["dict", "list"]
    assert read(Path("joint")).complete


def test_machines_may_have_other_kernels(parts: Parts) -> None:
    names = parts(_part("list"), _part("dict", **_changed("environment", platform="Linux-7")))
    assert main(["merge", *names, "--report", "joint"]) == 0
    assert read(Path("joint")).environment["platform"] == "Linux-6.1; Linux-7"


@pytest.mark.parametrize(
    ("reports", "said"),
    [
        ([_part("list", "1/3"), _part("dict", "3/3")], "shard 2/3 is missing"),
        ([_part("list", "1/2"), _part("dict", "2/2", complete=False)], "b is incomplete"),
    ],
)
def test_what_is_missing_makes_it_incomplete(
    parts: Parts, capsys: pytest.CaptureFixture[str], reports: list[Report], said: str
) -> None:
    assert main(["merge", *parts(*reports), "--report", "joint"]) == 1
    assert not read(Path("joint")).complete
    assert len(read(Path("joint")).rows) == 2
    told = capsys.readouterr().out.splitlines()
    assert said in told
    assert "INCOMPLETE: the run stopped before all tests finished" in told


_OTHER_JAX = _changed("environment", libraries={"jax": "0.9.2", "equinox": "0.13.4"})
_NO_EQUINOX = _changed("environment", libraries={"jax": "0.9.1"})
_NOT_ONE = "a and b are not of one run: "


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (_part("dict", **_OTHER_JAX), f"{_NOT_ONE}jax is 0.9.1 in the first and 0.9.2"),
        (_part("dict", **_NO_EQUINOX), f"{_NOT_ONE}equinox is 0.13.4 in the first and absent"),
        (_part("dict", **_changed("environment", x64=True)), f"{_NOT_ONE}x64 is False in the"),
        (_part("dict", **_changed("suite", fingerprint="f" * 12)), f"{_NOT_ONE}fingerprint is"),
        (_part("dict", **_changed("suite", profile="ci")), f"{_NOT_ONE}profile is default in"),
        (_part("dict", **_changed("suite", seed=3)), f"{_NOT_ONE}seed is None in the first and 3"),
        (_part("dict", law="second"), f"{_NOT_ONE}{_LAW} is another law in each"),
        (_part("list"), f"a and b both hold {_LAW} [list]; give parts that share no law"),
        (_part("dict", "2/2"), "parts of different splits: a is no shard, b is 2/2; give every"),
    ],
)
def test_reports_of_several_runs_are_refused(
    parts: Parts, capsys: pytest.CaptureFixture[str], second: Report, said: str
) -> None:
    names = parts(_part("list"), second)
    assert main(["merge", *names, "--report", "joint"]) == 2
    _said_in_one_line(capsys, said)
    assert not Path("joint").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a", "none", "--report", "joint"], "none: cannot be read: No such file"),
        (["a", "killed", "--report", "joint"], "`python -m treelaws report killed` writes it from"),
        (["a", "half", "--report", "joint"], "half/report.json: not valid JSON"),
        (["a", "a", "--report", "joint"], "a: is named twice; name each part once"),
        (["a", "./b", "--report", "b/../a"], "--report b/../a: is one of the parts; give another"),
        (["a", "b", "--report", "file"], "--report file: cannot be written: File exists"),
        (["b", "c", "--report", "joint"], "b and c are both shard 2/2; give each once"),
    ],
)
def test_bad_folders_are_refused(
    parts: Parts, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    parts(_part("list", "1/2"), _part("dict", "2/2"), _part("tuple", "2/2"))
    Path("file").write_text("")
    for folder, name, text in (("killed", NAME, ""), ("half", "report.json", "{")):
        Path(folder).mkdir()
        Path(folder, name).write_text(text)
    assert main(["merge", *arguments]) == 2
    _said_in_one_line(capsys, said)


def _said_in_one_line(capsys: pytest.CaptureFixture[str], said: str) -> None:
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1
    assert said in errors[0]
