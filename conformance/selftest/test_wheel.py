"""The wheel alone: in an empty folder, ten lines are enough to hear what is wrong with a node."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_IMPORTS = "import equinox, flax.nnx, hypothesis, jax, optax, treelaws\n"
_BROKEN = """\
import jax, treelaws
@jax.tree_util.register_pytree_node_class
class Store:
    def __init__(self, store: dict):
        store["count"] = store.get("count", 0) + 1
        self.store = store
    def tree_flatten(self): return (self.store,), None
    @classmethod
    def tree_unflatten(cls, aux, children): return cls(*children)
treelaws.check(Store)
"""
_MENDED = _BROKEN.replace("return cls(*children)", "return Store.of(*children)").replace(
    "    @classmethod\n",
    """\
    @classmethod
    def of(cls, store):
        made = object.__new__(cls)
        made.store = store
        return made
    @classmethod
""",
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and lay its files where Python finds them."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def _run(
    installed: Path, folder: Path, text: str
) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run a file in an empty folder; give what it said and the seconds of CPU that it took."""
    (folder / "mine.py").write_text(f"{text}print(treelaws.__file__)\n")
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "mine.py"]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return run, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.sweep
def test_a_broken_node_is_named_with_its_cure(installed: Path, tmp_path: Path) -> None:
    run, seconds = _run(installed, tmp_path, _BROKEN)
    assert run.returncode == 1
    said = " ".join(run.stderr.split())
    assert "node.flatten.unflatten_undoes_flatten is broken for Store" in said
    assert "fix: Store.__init__ runs whenever JAX unflattens a Store" in said
    assert "minimal input:" in said
    assert "standalone script, reproduces" in said
    # The speed of the machine, and what else it does, show in the imports, too.
    _, imports = _run(installed, tmp_path, _IMPORTS)
    assert seconds < 15 * imports


@pytest.mark.sweep
def test_the_mended_node_passes(installed: Path, tmp_path: Path) -> None:
    # What is mixed into the trees of the libraries has its own tests.
    run, _ = _run(installed, tmp_path, _MENDED.replace("(Store)", "(Store, mixed=False)"))
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(installed / "treelaws" / "__init__.py")
