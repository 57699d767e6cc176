"""What is given or installed wrongly, by option and command: one line, and exit code 4 or 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from treelaws.pytest_plugin import options

from .pytest_runs import USAGE_ERROR, errors, run_pytest, told

# By option of pytest: what it is given, and what the line says.
_BAD = [
    ("--laws", "equinox.filter.combine_undoes_partitoin", "did you mean"),
    ("--laws", "nothing.*", "no law is called 'nothing.*'"),
    ("--subject", "nope", "unknown subject 'nope'; give package.module:Class, a node type"),
    ("--subject", "no_such_module:thing", "cannot be imported: ModuleNotFoundError"),
    ("--subject", "theirs:Missing", "cannot be imported: AttributeError"),
    ("--subject", "theirs:number", "theirs:number is of type int; give a node class"),
    ("--subject", "theirs:Leaf", "a Leaf is a leaf to JAX, not a node"),
    ("--subject", "theirs", "argument 'thing' of Unhinted has no type hint"),
    ("--subject", "plain", "plain defines no PyTree node class; give a module that does"),
    ("--subject", "theirs:Unhinted", "argument 'thing' of Unhinted has no type hint"),
    ("--library", "flx", "unknown 'flx'; did you mean flax? choose from jax, equinox, flax"),
    ("--allow-missing", "optx", "unknown 'optx'; did you mean optax? choose from jax, equinox"),
    ("--level", "may", "unknown 'may'; choose from must, should, observed"),
    ("--edition", "1999.1", "unknown '1999.1'; choose from 2026.1"),
    ("--laws-profile", "fast", "unknown 'fast'; choose from quick, default, ci, thorough"),
    ("--known", "missing.toml", "missing.toml: cannot be read"),
    ("--known-update", "theirs.py", "theirs.py is not a TOML file"),
    ("--report", "theirs.py/below", "theirs.py/below cannot be written: Not a directory"),
    ("--shard", "3/2", "'3/2' is not a shard; write I/N with I from 1 to N"),
    ("--database", "s3://bucket", "unknown scheme 's3'; give a folder, redis://HOST"),
    ("--calls", "none/calls.json", "none/calls.json: not a file in a folder that exists"),
    ("--inputs", "none/inputs.json", "none/inputs.json: not a file in a folder that exists"),
    (
        "--all-breaches",
        "0",
        "'0' is not a number from 1 to 999; write --all-breaches=5, or put the",
    ),
    ("--case-time", "0", "'0' is not a number of seconds above 0"),
    ("--max-time", "soon", "'soon' is not a number of seconds above 0; write for example 60"),
]
_THEIRS = """
import jax

number = 1

@jax.tree_util.register_pytree_node_class
class Unhinted:
    def __init__(self, thing):
        self.thing = thing
    def tree_flatten(self):
        return (self.thing,), None
    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

class Leaf:
    pass

def none_made():
    return 1.0
"""


class _Options:
    """Takes the options of the plugin instead of pytest."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def getgroup(self, *_: str) -> _Options:
        return self

    def addoption(self, name: str, **more: Any) -> None:
        if more.get("action") != "store_true":
            self.names.append(name)


def test_each_option_that_takes_a_value_is_given_a_bad_one() -> None:
    taken = _Options()
    options.add(cast(pytest.Parser, taken))
    assert {option for option, _, _ in _BAD} == set(taken.names)


@pytest.mark.parametrize(("option", "value", "said"), _BAD)
def test_an_option_that_is_given_what_does_not_exist(
    tmp_path: Path, option: str, value: str, said: str
) -> None:
    (tmp_path / "theirs.py").write_text(_THEIRS)
    (tmp_path / "plain.py").write_text("number = 1\n")
    run = run_pytest(f"{option}={value}", cwd=tmp_path)
    assert run.returncode == USAGE_ERROR, run.stdout + run.stderr
    assert len(errors(run)) == 1
    assert errors(run)[0].startswith(f"ERROR: {option}: ")
    assert said in errors(run)[0]


@pytest.mark.parametrize(
    ("named", "said", "processes"),
    [
        ("no_such_module:Box", "cannot be imported: ModuleNotFoundError", "0"),
        ("no_such_module:Box", "cannot be imported: ModuleNotFoundError", "2"),
        ("theirs:none_made", "a float is a leaf to JAX, not a node", "0"),
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
        (["issue", "nope"], "'nope' is not a file, a finding or a known departure"),
        (["replay", "no-folder"], "'no-folder' is not a file, a finding or a known departure"),
        (["bisect", "nope", "--package", "equinox"], "'nope' is not a file, a finding or"),
        (["matrix", "--package", "torch"], "--package torch: no subject needs it; choose from"),
        (["diff", "a.json", "b.json"], "a.json: cannot be read"),
        (["report", "no-folder"], "cannot be read: No such file"),
        (["merge", "no-folder", "--report", "x"], "no-folder: cannot be read"),
        (["costs", "no-folder"], "no-folder: cannot be read"),
        (["past-bugs", "--seeds", "many"], "argument --seeds: invalid int value: 'many'"),
        (["mutate", "--module", "torch"], "--module: the laws do not test 'torch'; choose from"),
        (["mutate", "--module", "optax.nothing"], "optax has no module 'optax.nothing'"),
        (["mutate", "--module", "optax._src", "--sample", "0"], "--sample: 0 is below 1"),
        (["mutate", "--module", "optax._src", "--out", "."], "--out: . cannot be used: Is a"),
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
