"""The command `timeline` checks its options, and its page and picture say what was found."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from treelaws.__main__ import main
from treelaws.releases.timeline import command, page, status
from treelaws.releases.timeline.picture import picture

_CASE = "filter.partition-module-100-cpu"


@dataclasses.dataclass(frozen=True)
class _Found:
    releases: list[str]
    seconds: dict[str, dict[str, list[float]]]
    calls: dict[str, dict[str, int]]
    problems: dict[str, str]
    steps: list[Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the figures of three releases."""
    command._timing()
    from pytree_timing.scaling import Estimate
    from pytree_timing.timeline import Step
    from pytree_timing.verdicts import Comparison

    slower = Comparison(Estimate(1.5, 1.4, 1.6), "slower", 6)
    faster = Comparison(Estimate(0.5, 0.4, 0.6), "faster", 6)
    found = _Found(
        ["0.13.0", "0.13.1", "0.13.2"],
        {_CASE: {"0.13.0": [1e-4] * 6, "0.13.1": [1.5e-4] * 6, "0.13.2": [7.5e-5] * 6}},
        {_CASE: {"0.13.0": 4000, "0.13.1": 6000, "0.13.2": 3000}},
        {"0.12.2": "ImportError: cannot import name 'core'"},
        [Step(_CASE, "0.13.1", "0.13.2", faster), Step(_CASE, "0.13.0", "0.13.1", slower)],
    )
    text = status.text("equinox", found, beside=["jax==0.12.0.1"], rounds=6, python="3.12.1")
    (tmp_path / "equinox.toml").write_text(text)
    return tmp_path


def test_the_page_has_the_figures_and_the_steps(folder: Path) -> None:
    text = page.pages(folder)["timeline.md"]
    steps = "0.13.1: +50 %, 0.13.2: -50 %"
    cells = ["0.13.0", "100", "0.13.2", "75", "-25 %", "4,000 -> 3,000", steps]
    assert f"| `filter.partition-module-100` | {' | '.join(cells)} |" in text
    assert "- 0.12.2: ImportError: cannot import name 'core'" in text
    assert "6 rounds, Python 3.12.1, beside jax 0.12.0.1" in text


def test_the_picture_marks_the_step(folder: Path) -> None:
    drawn = picture(status.read(folder / "equinox.toml"))
    assert page.pages(folder)["timeline/equinox.svg"] == drawn
    assert drawn.count("<g transform") == 1
    assert ">+50 %</text>" in drawn
    assert "0.13.1: 150 µs" in drawn


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--package", "equinox", "--cases", "filter.prune*"], "no such case; there are dispatch."),
        (["--package", "equinox", "--with", "jax>=0.7"], "name a release of another package"),
        (["--package", "equinox", "--with", "equinox==0.13.0"], "of another package"),
    ],
)
def test_a_wrong_option_is_one_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["timeline", *words]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_too_few_rounds_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["timeline", "--package", "equinox", "--rounds", "5"])
    assert ended.value.code == 2
    assert "'5' is not a whole number of at least 6" in capsys.readouterr().err


def test_a_wheel_alone_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command.treelaws, "__file__", str(tmp_path / "a" / "b" / "treelaws.py"))
    assert main(["timeline", "--package", "equinox"]) == 2
    assert "which only a clone of treelaws has" in capsys.readouterr().err
