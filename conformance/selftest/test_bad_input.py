"""What others installed and what a command is given wrongly: one line, and exit code 4 or 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from .house_runs import told
from .pytest_runs import USAGE_ERROR, errors, run_pytest

_THEIRS = """
class Leaf:
    pass

def none_made():
    return 1.0
"""


@pytest.mark.parametrize(
    ("named", "said", "processes"),
    [
        ("no_such_module:Box", "does not import: ModuleNotFoundError", "0"),
        ("no_such_module:Box", "does not import: ModuleNotFoundError", "2"),
        ("theirs:none_made", "JAX takes a float for a leaf, not for a node", "0"),
        ("nobody", "unknown subject 'nobody'", "0"),
    ],
)
def test_an_entry_point_that_names_nothing(
    tmp_path: Path, named: str, said: str, processes: str
) -> None:
    facts = tmp_path / "theirs-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[treelaws.subjects]\nbox = {named}\n")
    (tmp_path / "theirs.py").write_text(_THEIRS)
    run = run_pytest("--pyargs", "treelaws", "-n", processes, cwd=tmp_path)
    assert run.returncode == USAGE_ERROR, run.stdout + run.stderr
    assert len(errors(run)) == 1
    assert "entry point 'box' in treelaws.subjects" in errors(run)[0]
    assert said in errors(run)[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["laws", "x"], "no law is called 'x'"),
        (["issue", "nope"], "'nope' is neither a file nor the name of a known departure"),
        (["replay", "no-folder"], "'no-folder' is neither a file nor the name of"),
        (["bisect", "nope", "--package", "equinox"], "'nope' is neither a file nor"),
        (["matrix", "--package", "torch"], "--package torch: no subject needs it; choose from"),
        (["diff", "a.json", "b.json"], "a.json: cannot be read"),
        (["report", "no-folder"], "cannot be read: No such file"),
        (["merge", "no-folder", "--report", "x"], "no-folder: cannot be read"),
        (["costs", "no-folder"], "no-folder: cannot be read"),
        (["history", "--seeds", "many"], "argument --seeds: invalid int value: 'many'"),
        (["shuffle"], "invalid choice: 'shuffle'"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_that_is_given_what_does_not_exist(
    tmp_path: Path, words: list[str], said: str
) -> None:
    run = told(tmp_path, *words)
    assert run.returncode == 2, run.stdout + run.stderr
    assert run.stdout == ""
    *usage, line = [line for line in run.stderr.splitlines() if line.strip()]
    assert said in line
    # Those of `argparse` say how the command is used, and then the one line.
    assert not usage or usage[0].startswith("usage: ")
