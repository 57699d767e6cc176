"""House rules: import directions, the form of a law, stable ids, true documentation, the wheel."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

from treelaws.core.departures import known
from treelaws.core.law import Law
from treelaws.laws import all_laws
from treelaws.subjects.registry import subjects

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "conformance" / "treelaws"
STRATEGIES = ROOT / "strategies" / "hypothesis_pytrees"
MUTANTS = ROOT / "conformance" / "selftest" / "mutants"
IDS = Path(__file__).with_name("law_ids.txt")
LAWS = all_laws()
_LIBRARIES = {"equinox", "flax", "optax"}
_MOST_LINES = 10


def _imports(path: Path, *, top_level: bool) -> Iterator[str]:
    """Return the modules a file imports, relative ones with their dots."""
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "selftest" not in path.parts)


@pytest.mark.parametrize("path", _files(STRATEGIES), ids=lambda path: path.stem)
def test_strategies_know_neither_laws_nor_libraries(path: Path) -> None:
    assert not [name for name in _imports(path, top_level=False) if name.startswith("treelaws")]
    assert not _LIBRARIES & {name.split(".")[0] for name in _imports(path, top_level=True)}


@pytest.mark.parametrize("path", _files(PACKAGE), ids=lambda path: path.stem)
def test_only_compat_reads_versions(path: Path) -> None:
    if path.parent.name != "compat":
        assert "__version__" not in path.read_text()
        assert "importlib.metadata" not in path.read_text()


def _body(law: Law) -> list[ast.stmt]:
    source = inspect.getsource(law.check)
    function = ast.parse(inspect.cleandoc("\n" + source)).body[0]
    assert isinstance(function, ast.FunctionDef)
    documented = ast.get_docstring(function) is not None
    return function.body[documented:]


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_law_is_short_and_cites(law: Law) -> None:
    body = _body(law)
    lines = (body[-1].end_lineno or 0) - body[0].lineno + 1
    assert lines <= _MOST_LINES, f"{law.id} has {lines} lines; at most {_MOST_LINES}"
    assert re.match(r"https?://\S+$", law.source), f"{law.id} cites {law.source!r}, not a link"
    assert law.statement == law.statement.strip().rstrip("."), law.statement
    assert list(inspect.signature(law.check).parameters) == ["lib", "case"]


def test_ids_are_stable() -> None:
    """Ids name laws in downstream files: one that changes or goes breaks them."""
    now = [f"{law.id} {law.level} {law.since}" for law in LAWS.values()]
    text = "\n".join(sorted(now)) + "\n"
    if os.environ.get("TREELAWS_WRITE_IDS"):
        IDS.write_text(text)
    assert IDS.read_text() == text, "ids changed: set TREELAWS_WRITE_IDS=1 and run this test again"


def test_an_id_names_the_folder_and_the_file_of_its_law() -> None:
    """`equinox.module.fields.x` stands in `laws/equinox/module_fields.py`."""
    folders = {"node": "nodes", "recipes": "idioms"}
    for law in LAWS.values():
        library, _, rest = law.topic.id.partition(".")
        _, _, _, file = law.check.__module__.split(".")
        assert law.check.__module__.split(".")[2] == folders.get(library, library), law.id
        topic = rest.replace(".", "_")
        assert file == topic or file.startswith(f"{topic}_"), f"{law.id} stands in {file}.py"


def test_departures_name_what_exists() -> None:
    names = [found.name for found in subjects()]
    assert [*known.unknown_laws(LAWS), *known.unknown_subjects(names)] == []


def test_departures_cite_an_issue() -> None:
    for found in known.departures():
        assert found.issue == "unreported" or found.issue.startswith("https://"), found.name


def test_readme_lists_the_options() -> None:
    plugins = (
        PACKAGE / "pytest_plugin" / "options.py",
        ROOT / "perf" / "pytree_timing" / "plugin.py",
    )
    text = "\n".join(path.read_text() for path in plugins)
    options = set(re.findall(r'addoption\(\s*"(--[\w-]+)"', text))
    pages = (ROOT / "docs" / name for name in ("options.md", "timing.md"))
    tables = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert set(re.findall(r"^\| `(--[\w-]+)", tables, re.MULTILINE)) == options


@pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed"
)
def test_wheel_holds_the_two_packages_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"treelaws", "hypothesis_pytrees"}
    assert {"treelaws/py.typed", "hypothesis_pytrees/py.typed"} <= set(names)
    assert any(name.startswith("treelaws/findings/") and name.endswith(".toml") for name in names)
    assert not [name for name in names if "selftest" in name]


def _defined(path: Path) -> Iterator[tuple[str, str]]:
    """Return the names that recipe text in a file defines, each with the text of its definition."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if not any(word in node.value for word in ("class ", "def ")):
            continue
        try:
            body = ast.parse(node.value).body
        except SyntaxError:
            continue
        for part in body:
            if isinstance(part, ast.ClassDef) or _is_function(part):
                yield part.name, ast.unparse(part)


def _is_function(part: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Return whether text defines a function, and not a method of a class that is put together."""
    if not isinstance(part, ast.FunctionDef):
        return False
    return part.args.args[:1] == [] or part.args.args[0].arg not in ("self", "cls")


def test_no_two_recipes_define_one_name() -> None:
    """All recipes share one namespace, so that which of two won would depend on the order."""
    places: dict[str, dict[str, Path]] = {}
    # What a script is written of stands in no namespace.
    package = [path for path in _files(PACKAGE) if path.parent.name != "script"]
    for path in (*_files(STRATEGIES), *package, *sorted(MUTANTS.rglob("*.py"))):
        for name, text in _defined(path):
            places.setdefault(name, {})[text] = path
    twice = {name: list(texts.values()) for name, texts in places.items() if len(texts) > 1}
    assert not twice, f"recipe texts that define one name differently: {twice}"
