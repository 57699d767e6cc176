"""The steps of the workflows of docs/ci run in a workspace like that of a job."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from treelaws.reporting.report import read

from .workflow_jobs import DOCS, DOWNSTREAM, NIGHTLY, ROOT, Job, environments, workflow

# Each takes up to half a minute.
pytestmark = pytest.mark.sweep

_LAW = "node.flatten.unflatten_undoes_flatten"
_LIBRARY = """
import dataclasses
import functools
import jax


@functools.partial(jax.tree_util.register_dataclass, data_fields=["left", "right"], meta_fields=[])
@dataclasses.dataclass
class Pair:
    left: jax.Array
    right: jax.Array


@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, content: jax.Array):
        self.content = content

    def tree_flatten(self):
        return (self.content,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = object.__new__(cls)
        (made.content,) = CHILDREN
        return made
"""
_TESTS = f"""
import treelaws
from my_library import Box


@treelaws.parametrize(Box, laws="{_LAW}", mixed=False)
def test_box(law):
    law()


def test_of_something_else():
    raise AssertionError("was not asked for")
"""
# What makes a run short, beside `_only`: few examples, and no workers.
_SHORT = "-p no:cacheprovider -p treelaws.plugin --laws-profile quick"
_ALONE = {"PROFILE": "quick", "PYTEST_XDIST_AUTO_NUM_WORKERS": "0"}
_SHARDS = ["1", "2"]


class Ran(NamedTuple):
    """What a job has done."""

    job: Job
    folder: Path
    steps: list[subprocess.CompletedProcess[str]]

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text()

    @property
    def codes(self) -> list[int]:
        return [step.returncode for step in self.steps]

    @property
    def told(self) -> str:
        return "".join(step.stdout + step.stderr for step in self.steps)

    def kept(self) -> Iterator[Path]:
        """Give each file of the artifacts."""
        for path in self.job.uploads().values():
            found = [one for one in (self.folder / path).rglob("*") if one.is_file()]
            assert found, f"{path} holds nothing to upload"
            yield from found


def _only(name: str) -> str:
    """Return the options that leave one file of laws to collect."""
    tests = ROOT / "conformance" / "treelaws" / "tests"
    files = [path for path in tests.glob("test_*.py") if path.stem != f"test_{name}"]
    return shlex.join(f"--ignore={path}" for path in files)


def _downstream(folder: Path, children: str, part: slice = slice(None)) -> Ran:
    (folder / "my_library.py").write_text(_LIBRARY.replace("CHILDREN", children))
    (folder / "tests").mkdir()
    (folder / "tests" / "test_nodes.py").write_text(_TESTS)
    values = {f"matrix.{key}": value for key, value in environments()[0].items()}
    addopts = f"{_SHORT} {_only('nodes')} -k {_LAW.rpartition('.')[2]}"
    job = Job(DOWNSTREAM, "laws", values, {"PYTEST_ADDOPTS": addopts, **_ALONE})
    return Ran(job, folder, job.run(folder, part))


def _night(folder: Path) -> list[Job]:
    """Make the workspace of a night, and give the jobs: shards, and the one that joins them."""
    (folder / "treelaws").symlink_to(ROOT, target_is_directory=True)
    departures = folder / "library" / workflow(NIGHTLY)["env"]["KNOWN"]
    departures.parent.mkdir(parents=True)
    shutil.copy(DOCS / "known.toml", departures)
    addopts = f"{_SHORT} {_only('equinox')} -k TestTreeEqual"
    more = {"PYTEST_ADDOPTS": addopts, **_ALONE, "GITHUB_SHA": "abc"}
    # Nothing is installed here, from wherever.
    common = {"vars.JAX_NIGHTLY_INDEX": "", "strategy.job-total": _SHARDS[-1]}
    shards = [Job(NIGHTLY, "shard", common | {"matrix.shard": one}, more) for one in _SHARDS]
    return [*shards, Job(NIGHTLY, "merged", common, more)]


def test_a_sound_library_passes(tmp_path: Path) -> None:
    ran = _downstream(tmp_path, "children")
    assert ran.codes == [0, 0], ran.told
    named, tests = (read(tmp_path / "treelaws-report" / name) for name in ("named", "tests"))
    assert {row.subject for row in named.rows} == {"my_library:Box", "my_library:Pair"}
    assert {(row.law, row.subject) for row in tests.rows} == {(_LAW, "my_library:Box")}
    assert {row.verdict for row in (*named.rows, *tests.rows)} == {"held"}
    assert ran.summary.count("# treelaws") == 2
    assert {"report.html", "report.json", "junit.xml"} <= {path.name for path in ran.kept()}


def test_a_broken_node_fails_and_leaves_its_witness(tmp_path: Path) -> None:
    ran = _downstream(tmp_path, "(None,)", slice(1))
    assert ran.codes == [1], ran.told
    assert f"broken: `{_LAW}` [my_library:Box]" in ran.summary
    assert "standalone script" in ran.summary
    witnesses = [path for path in ran.kept() if path.parent.name == "witnesses"]
    assert [path for path in witnesses if path.suffix == ".py" and _LAW in path.name]
    # What actions/upload-artifact refuses in a name.
    assert not [path for path in witnesses if re.search(r'["<>|*?:\r\n\\]', path.name)]


def test_shards_of_a_night_are_joined_and_compared_with_the_next(tmp_path: Path) -> None:
    pytest.importorskip("equinox")
    night = [Ran(job, tmp_path, job.run(tmp_path)) for job in _night(tmp_path)]
    *shards, merged = night
    assert [one.codes for one in night] == [[0], [0], [0, 0, 0]], [one.told for one in night]
    # An artifact comes back in a folder of its name.
    assert all(name == path for one in shards for name, path in one.job.uploads().items())
    parts = [read(tmp_path / path) for one in shards for path in one.job.uploads().values()]
    assert all(part.rows for part in parts)
    joint = read(tmp_path / "merged")
    assert joint.complete
    assert len(joint.rows) == sum(len(part.rows) for part in parts)
    assert {"report.html", "changes.txt"} <= {path.name for path in merged.kept()}
    assert merged.summary.count("# treelaws") == len(night)
    assert "there is no report of a night before" in merged.summary

    previous = tmp_path / "previous" / "report.json"
    previous.write_text(previous.read_text().replace('"held"', '"known"', 1))
    again = Ran(merged.job, tmp_path, merged.job.run(tmp_path, slice(1, None)))
    assert again.codes == [0, 0], again.told
    assert re.search(r"equinox\.tree_equal\.\w+ \[equinox\]: known -> held", again.summary)
    assert "commits: abc ... abc" in again.summary
