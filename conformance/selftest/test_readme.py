"""What the README tells users to write runs as written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LIBRARY = """
import jax


@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def tree_flatten(self):
        return (self.left, self.right), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        box = object.__new__(cls)
        box.left, box.right = children
        return box
"""


def test_own_node_type_runs_as_written(tmp_path: Path) -> None:
    blocks = re.findall(
        r"```python\n(# test_my_node.py\n.*?)```", (ROOT / "README.md").read_text(), re.S
    )
    (tmp_path / "test_my_node.py").write_text(blocks[0])
    (tmp_path / "my_library.py").write_text(_LIBRARY)
    path = os.pathsep.join([str(ROOT / "strategies"), str(ROOT / "conformance"), str(tmp_path)])
    command = [sys.executable, "-m", "pytest", "-p", "treelaws.plugin", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, "--laws-profile", "quick", "-q", "test_my_node.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
    assert " passed" in run.stdout
