"""The example of CONTRIBUTING.md is a law: it holds on the library, and it finds its mutant."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from treelaws.core.law import Law, defined
from treelaws.core.search import search
from treelaws.subjects.registry import subject

from . import mutant, test_house
from .markdown_blocks import CONTRIBUTING, ROOT, blocks

_FILE = re.compile(r"# (\S+\.py)\n")


def _written(folder: Path) -> dict[str, Path]:
    """Write each file of the section and return it by its place in a clone."""
    found = {}
    for number, block in enumerate(blocks("python", pages=[CONTRIBUTING])):
        name = _FILE.match(block.text)
        assert name is not None, f"{block}: the first line names the file"
        found[name[1]] = folder / f"part_{number}.py"
        found[name[1]].write_text(block.text)
    return found


def _imported(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _module_name(place: str) -> str:
    return place.removeprefix("conformance/").removesuffix(".py").replace("/", ".")


def test_the_law_holds_and_finds_its_mutant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    # The example joins neither the laws nor the mutants of the suite.
    monkeypatch.setattr("treelaws.core.law._BY_ID", {})
    monkeypatch.setattr(mutant, "MUTANTS", {})
    files = _written(tmp_path)
    law_place, mutant_place = files
    assert law_place.startswith("conformance/treelaws/laws/")
    assert mutant_place == law_place.replace("treelaws/laws", "selftest/mutants")
    # In two new files of folders that exist.
    assert all((ROOT / place).parent.is_dir() and not (ROOT / place).exists() for place in files)

    file = _imported(_module_name(law_place), files[law_place])
    ((id, law),) = defined().items()
    assert isinstance(law, Law)
    assert getattr(file, law.name) is law
    library, topic = law_place.removesuffix(".py").split("/")[-2:]
    assert id == f"{library}.{topic}.{law.name}"
    test_house.test_law_is_short_and_cites(law)

    _imported(_module_name(mutant_place), files[mutant_place])
    ((_, broken),) = mutant.MUTANTS.items()
    assert broken.kills == (id,)
    assert search(law, subject(law.topic.family)) is None
    assert search(law, broken.subject) is not None
