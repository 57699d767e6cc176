"""The house: which folder imports which, without a circle; what loads late, and why."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hypothesis_pytrees.core.recipe import IMPORTS as RECIPE_IMPORTS
from treelaws.compat import toml

ROOT = Path(__file__).resolve().parents[2]
ROOTS = {"treelaws": ROOT / "conformance", "hypothesis_pytrees": ROOT / "strategies"}
_LIBRARIES = {"jax", "jaxlib", "equinox", "flax", "optax", "chex"}
_MOST_ENTRIES = 25
# What runs in every pytest session, or before jax is known to import, loads the rest when needed.
_LATE = {
    "treelaws.doctor.command": "says why jax does not import",
    "treelaws.doctor.known_files": "says why jax does not import",
    "treelaws.strength.mutations.jobs": "imports a library only where its source may be changed",
    "treelaws.plugin": "is loaded in every pytest run",
    "treelaws.pytest_plugin.fuzzing": "is loaded in every pytest run",
    "treelaws.pytest_plugin.counting.calls": "is loaded in every pytest run",
    "treelaws.pytest_plugin.counting.inputs": "is loaded in every pytest run",
    "treelaws.pytest_plugin.last_inputs": "is loaded in every pytest run",
    "treelaws.pytest_plugin.known_files": "is loaded in every pytest run",
    "treelaws.pytest_plugin.known_update": "is loaded in every pytest run",
    "treelaws.pytest_plugin.listing": "is loaded in every pytest run",
    "treelaws.pytest_plugin.receiver": "is loaded in every pytest run",
    "treelaws.pytest_plugin.shared_draws": "is loaded in every pytest run",
    "treelaws.pytest_plugin.selection": "is loaded in every pytest run",
    "treelaws.pytest_plugin.time.hooks": "is loaded before jax in a run with --max-time",
    "treelaws.pytest_plugin.time.rounds": "is loaded before jax in a run with --max-time",
    "treelaws.test_known": "a name of the last release, which warns when it is used",
}


class Import(NamedTuple):
    """An import statement.

    Args:
        module: the dotted name of the file that it stands in.
        name: the module that is imported.
        late: whether it stands inside a function.
    """

    module: str
    name: str
    late: bool


def _modules() -> dict[str, Path]:
    found = {}
    for package, root in ROOTS.items():
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = _modules()


def _imports(module: str) -> Iterator[Import]:
    """Return the imports of a file, but for those that only type checkers read."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    late = {id(node) for function in functions for node in ast.walk(function)}
    checked = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {id(one) for node in checked if _is_typing(node) for one in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) not in typed:
            for name in _named(module, node):
                yield Import(module, name, id(node) in late)


def _is_typing(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _named(module: str, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        is_package = MODULES[module].name == "__init__.py"
        package = module if is_package else module.rpartition(".")[0]
        source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
        for alias in node.names:
            whole = f"{source}.{alias.name}"
            yield whole if whole in MODULES else source


# Read by the first test that needs them, not by each process that collects the tests.
@functools.cache
def every_import() -> list[Import]:
    return [one for module in MODULES for one in _imports(module)]


def _top(name: str) -> str:
    return name.partition(".")[0]


def test_no_imports_run_in_a_circle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for one in every_import():
        if one.name in MODULES and one.name != one.module:
            graph[one.module].add(one.name)
    # Raises CycleError, which names the modules.
    list(TopologicalSorter(graph).static_order())


def _room(module: str) -> str:
    """Return the folder of a module below the package; a file of the package itself has its own."""
    parts = module.split(".")
    inner = MODULES[module].name == "__init__.py" or len(parts) > 2
    return ".".join(parts[:2]) if inner else module


@pytest.mark.parametrize("package", ROOTS)
def test_no_folders_import_each_other(package: str) -> None:
    graph: dict[str, set[str]] = {}
    for one in every_import():
        if _top(one.module) == package == _top(one.name) and one.name in MODULES:
            here, there = _room(one.module), _room(one.name)
            if here != there and there != package:
                graph.setdefault(here, set()).add(there)
    list(TopologicalSorter(graph).static_order())


def test_strategies_know_nothing_of_laws() -> None:
    assert not [
        one
        for one in every_import()
        if _top(one.module) != "treelaws" and _top(one.name) == "treelaws"
    ]


def test_core_imports_neither_pytest_nor_a_library() -> None:
    core = [one for one in every_import() if one.module.startswith("treelaws.core")]
    assert core
    assert not [one for one in core if _top(one.name) in {"pytest", "_pytest", *_LIBRARIES}]
    assert not [one for one in core if _top(one.name) in ROOTS and one.late]


def test_pytest_is_known_at_the_edge_alone() -> None:
    edge = ("treelaws.plugin", "treelaws.pytest_plugin", "treelaws.tests", "treelaws.doctor.pytest")
    inner = [one for one in every_import() if not one.module.startswith(edge)]
    assert not [one for one in inner if _top(one.name) in ("pytest", "_pytest")]


def test_libraries_are_imported_by_name_in_few_places() -> None:
    """Everywhere else a law reaches them by its subject, so that a fork can stand in."""
    optional = _LIBRARIES - {"jax", "jaxlib"}
    outside = [one for one in every_import() if _top(one.name) in optional]
    allowed = ("treelaws.subjects.builtin",)
    assert not [one for one in outside if not one.late and not one.module.startswith(allowed)]


def test_late_imports_are_named() -> None:
    """An import inside a function keeps loading light, and hides no circle."""
    own = [one for one in every_import() if one.late and _top(one.name) in ROOTS]
    assert {one.module for one in own} == set(_LATE)


# Packages whose distribution has another name.
_NAMES = {"orbax": "orbax-checkpoint"}
# A part of the clone that no distribution has; `timeline` says so where it is missing.
_IN_CLONES = {"pytree_timing"}


def test_imports_are_declared() -> None:
    """The dependencies are those that loading the suite imports; an extra names each other one."""
    project = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    foreign = [
        one for one in every_import() if _top(one.name) not in {*ROOTS, *sys.stdlib_module_names}
    ]
    loaded = {canonicalize_name(_top(one.name).strip("_")) for one in foreign if not one.late}
    assert loaded == _declared(project["dependencies"])
    extras = project["optional-dependencies"].values()
    late = {_top(one.name) for one in foreign if one.late} | set(_imported_by_name())
    recipes = {_top(line.split()[1]) for line in RECIPE_IMPORTS.values()}
    late = (late | recipes) - sys.stdlib_module_names - _IN_CLONES
    anywhere = loaded.union(*map(_declared, extras))
    assert {_NAMES.get(name, canonicalize_name(name)) for name in late} <= anywhere


def _declared(texts: Iterable[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in texts}


def _imported_by_name() -> Iterator[str]:
    """Return the packages that `importlib.import_module` or `tool` is called with."""
    for path in MODULES.values():
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r'\b(?:import_module|tool)\("(\w+)', text)


def test_nothing_imports_the_plugin() -> None:
    assert not [one for one in every_import() if one.name == "treelaws.plugin"]
    light = [one for one in every_import() if one.module == "treelaws.plugin" and not one.late]
    heavy = {"hypothesis", "hypothesis_pytrees", *_LIBRARIES}
    assert not [one for one in light if _top(one.name) in heavy]


def test_folders_are_small() -> None:
    for package, root in ROOTS.items():
        for folder in [root / package, *(root / package).rglob("*")]:
            if folder.is_dir() and folder.name != "__pycache__" and folder.parent.name != "laws":
                entries = [one.name for one in folder.iterdir() if one.name != "__pycache__"]
                assert len(entries) <= _MOST_ENTRIES, f"{folder}: {len(entries)} entries"
