"""The matrix: which releases it picks, what a release that cannot run costs, first bad and good."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from treelaws.laws import all_laws
from treelaws.releases.environments import index
from treelaws.releases.environments.environments import Ended, Environment, Wanted
from treelaws.releases.environments.index import Release
from treelaws.releases.environments.requirements import BadRequest
from treelaws.releases.matrix import running
from treelaws.releases.matrix.page import FOLDER, page
from treelaws.releases.matrix.running import Combination, Result, combinations, run_all
from treelaws.releases.matrix.status import changed, read, text
from treelaws.releases.past_bugs.table import DEFAULT, read_entries
from treelaws.reporting.report import Report, run_facts
from treelaws.reporting.rows import Row

_LAW = "jax.map.unflatten_undoes_flatten"
_FACTS = run_facts("2026-01-01T00:00:00+00:00", "1")


def _report(verdict: str, departure: str = "", *, complete: bool = True) -> Report:
    rows = [Row(_LAW, "jax", "held" if departure else verdict)]
    rows += [Row(_LAW, "jax", verdict, departure)] if departure else []
    return Report(laws={}, rows=tuple(rows), complete=complete, **_FACTS)


def _results(verdicts: str, beside: str = "") -> list[Result]:
    reports = {
        "h": _report("held"),
        "b": _report("broken"),
        "k": _report("known", "a_departure"),
        "s": _report("skipped"),
        "-": None,
    }
    return [
        Result(
            Combination("jax", f"0.{number}", beside),
            reports[letter],
            "" if reports[letter] else "cannot be installed: no wheel",
        )
        for number, letter in enumerate(verdicts)
    ]


@pytest.mark.parametrize(
    ("verdicts", "first_bad", "first_good"),
    [
        ("bbh", "<=0.0", "0.2"),
        ("hkk", "0.1", ""),
        ("hkh", "0.1", "0.2"),
        ("hbhbh", "0.1", "0.4"),
        ("s-kh", "<=0.2", "0.3"),
        ("kk-s", "<=0.0", ""),
    ],
)
def test_ends_are_the_first_bad_and_the_first_good_release(
    verdicts: str, first_bad: str, first_good: str
) -> None:
    (found,) = changed(_results(verdicts))
    assert (found.verdicts, found.first_bad, found.first_good) == (verdicts, first_bad, first_good)
    assert found.departure == ("a_departure" if "k" in verdicts else "")


def test_a_law_that_every_release_keeps_is_no_change() -> None:
    assert not changed(_results("hhs-"))


def test_what_stands_beside_is_named_where_it_matters() -> None:
    alike = changed([*_results("bh", "numpy==1"), *_results("bh", "numpy==2")])
    assert [one.beside for one in alike] == [""]
    apart = changed([*_results("bh", "numpy==1"), *_results("bb", "numpy==2")])
    ends = [(one.beside, one.first_good) for one in apart]
    assert ends == [("numpy==1", "0.1"), ("numpy==2", "")]


def test_status_reads_back(tmp_path: Path) -> None:
    (tmp_path / "jax.toml").write_text(text("jax", _results("k-h", "numpy==1")))
    found = read(tmp_path / "jax.toml")
    assert [release["version"] for release in found["release"]] == ["0.0", "0.1", "0.2"]
    assert found["release"][1]["problem"] == "cannot be installed: no wheel"
    (law,) = found["law"]
    assert (law["first_bad"], law["first_good"], law["verdicts"]) == ("<=0.0", "0.2", "k-h")
    written = page(tmp_path)
    assert f"| `{_LAW}` | jax |  | `k-h` | <=0.0 | 0.2 | `a_departure` |" in written
    assert "| 0.1 | numpy==1 |  |  |  |  | cannot be installed: no wheel |" in written


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the index hold three releases."""
    listed = [Release(version, None) for version in ("0.1", "0.2", "0.3")]
    monkeypatch.setattr(index, "releases", lambda package, spec, python: listed)


def test_releases_are_listed_or_met_by_a_specifier(three: None) -> None:
    named = combinations("jax", "0.3,0.1", ["numpy==1", "numpy==2"], "")
    assert [one.name for one in named] == [
        "jax-0.1-numpy-1",
        "jax-0.1-numpy-2",
        "jax-0.3-numpy-1",
        "jax-0.3-numpy-2",
    ]
    assert len(combinations("jax", ">=0", [], "")) == 3
    with pytest.raises(BadRequest, match=r"jax 0.9: no such release; the index has 0.1, 0.2, 0.3"):
        combinations("jax", "0.9", [], "")


def test_a_package_that_no_subject_needs_is_refused() -> None:
    with pytest.raises(BadRequest, match="no subject needs it; choose from chex, equinox"):
        combinations("numpy", "0.1", [], "")


def _version(package: str, wanted: Wanted) -> str:
    versions = [pin.split("==")[1] for pin in wanted.pins if pin.split("==")[0] == package]
    return versions[0] if versions else ""


class _Fake(Environment):
    """Writes a report instead of running the suite."""

    def run(self, args: object, timeout: float = 0.0, **options: object) -> Ended:
        _RUNS.append(self.wanted.pins[0])
        assert isinstance(args, list)
        folder = Path(args[args.index("--report") + 1])
        if self.wanted.pins[0] == "jax==0.2":
            return Ended(3, "", "INTERNALERROR\nit broke\n")
        _report("held", complete=self.wanted.pins[0] != "jax==0.3").write(folder / "report.json")
        return Ended(0, "", "")


_RUNS: list[str] = []


def test_one_release_never_spoils_the_rest_and_a_matrix_goes_on(
    three: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(wanted: Wanted) -> Environment:
        return _Fake(wanted, tmp_path)

    monkeypatch.setattr(running, "environment", make)
    asked = combinations("jax", ">=0", [], "")
    _RUNS.clear()
    told: list[str] = []
    first, second, third = run_all(asked, tmp_path, [], told.append)
    assert first.report is not None
    assert not first.problem
    assert (second.report, second.problem) == (None, "cannot be run: it broke")
    assert third.problem == "the run ended before all tests had run"
    assert "[1/3] jax 0.1: 1 held" in told
    # What has a whole report is not run again; what has none is.
    list(run_all(asked, tmp_path, [], told.append))
    assert _RUNS == ["jax==0.1", "jax==0.2", "jax==0.3", "jax==0.2", "jax==0.3"]
    # Other options are another question.
    list(run_all(asked[:1], tmp_path, ["--laws=jax.map.*"], told.append))
    assert _RUNS[-1] == "jax==0.1"


_PACKAGES = [path.stem for path in sorted(FOLDER.glob("*.toml"))]
_BUGS = {
    entry.id: (package, entry)
    for package in _PACKAGES
    for entry in read_entries(DEFAULT)
    if _version(package, entry.bad) and _version(package, entry.good)
}
# Equinox meets literals from JAX 0.7 on; the matrix stands beside older ones.
_UNSEEN = {"equinox_is_array_on_jaxpr_literal"}


@pytest.mark.parametrize("name", sorted(_BUGS.keys() - _UNSEEN))
def test_the_matrix_agrees_with_the_known_history(name: str) -> None:
    package, entry = _BUGS[name]
    status = read(FOLDER / f"{package}.toml")
    tried = list(dict.fromkeys(release["version"] for release in status["release"]))
    bad, good = _version(package, entry.bad), _version(package, entry.good)
    assert bad in tried, f"{package} {bad} is not among the releases of the matrix"
    first_good = min((one for one in tried if Version(one) >= Version(good)), key=Version)
    # Where a law that it builds on is broken too, a law is not tried.
    laws = {entry.law, *(law.id for law in all_laws()[entry.law].ancestors)}
    found = [one for one in status["law"] if one["law"] in laws]
    found = [one for one in found if one["subject"] == entry.subject]
    shown = [one.get("first_good") for one in found if one["verdicts"][tried.index(bad)] in "bk"]
    assert first_good in shown
