"""The workflows of docs/ci and .github: sound by their schema, with options that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from treelaws.__main__ import main
from treelaws.compat import toml
from treelaws.core import settings
from treelaws.core.departures import known
from treelaws.laws import law_named

from .workflow_jobs import (
    DOCS,
    DOWNSTREAM,
    NIGHTLY,
    ROOT,
    commands,
    environments,
    used_actions,
    workflow,
)

RECIPES = [DOWNSTREAM, NIGHTLY]
PUBLISH = ROOT / ".github" / "workflows" / "publish.yml"
# Another owner's action, which the package index documents for trusted publishing.
_UPLOAD = "pypa/gh-action-pypi-publish@release/v1"
WORKFLOWS = [*RECIPES, *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]
_PROJECT = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _validate(schema: str, paths: list[Path]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    run = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_workflows_have_the_form_that_github_reads() -> None:
    _validate("vendor.github-workflows", WORKFLOWS)
    _validate("custom.github-workflows-require-timeout", [*RECIPES, PUBLISH])


def test_actions_are_pinned_alike() -> None:
    versions: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for used in used_actions(path):
            if used == _UPLOAD and path == PUBLISH:
                continue
            assert re.fullmatch(r"actions/[a-z/-]+@v\d+", used), f"{path}: {used}"
            action, _, version = used.partition("@")
            versions.setdefault(action, set()).add(version)
    assert all(len(found) == 1 for found in versions.values()), versions


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_recipes_may_read_the_contents_and_no_more(path: Path) -> None:
    assert workflow(path)["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow(path)["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_options_and_commands_exist(path: Path, pytestconfig: pytest.Config) -> None:
    found = list(commands(path))
    for words in found:
        if words[:1] == ["pytest"]:
            _, unknown = pytestconfig._parser.parse_known_and_unknown_args(words[1:])
            assert not unknown, f"{path}: {unknown}"
        if "treelaws" in words and words[words.index("treelaws") - 1] == "-m":
            with pytest.raises(SystemExit) as ended:
                main([words[words.index("treelaws") + 1], "--help"])
            assert ended.value.code == 0
    assert any(words[:1] == ["pytest"] for words in found)


def test_a_tag_publishes_the_site_and_the_package_without_a_secret() -> None:
    told: dict[Any, Any] = workflow(PUBLISH)
    # YAML 1.1 reads the key `on` as true.
    assert told[True] == {"push": {"tags": ["v*"]}}
    assert told["permissions"] == {"contents": "read"}
    assert "secrets." not in PUBLISH.read_text(encoding="utf-8")
    jobs = told["jobs"]
    may_write = {name: job["permissions"] for name, job in jobs.items() if "permissions" in job}
    assert may_write == {
        "deploy": {"pages": "write", "id-token": "write"},
        "upload": {"id-token": "write"},
    }
    # A site that does not build stops the package, and the other way round.
    assert all(jobs[name]["needs"] == ["site", "package"] for name in may_write)
    assert ["mkdocs", "build", "--strict", "--site-dir", "site"] in list(commands(PUBLISH))


def test_recipes_pin_this_version() -> None:
    told = workflow(DOWNSTREAM)["env"]
    wanted = re.fullmatch(r"treelaws\[([\w,]+)\]==(.*)", told["TREELAWS"])
    assert wanted is not None
    assert set(wanted[1].split(",")) <= set(_PROJECT["optional-dependencies"])
    assert wanted[2] == _PROJECT["version"]
    assert told["EDITION"] == workflow(NIGHTLY)["env"]["EDITION"] == settings.EDITIONS[-1]
    assert workflow(NIGHTLY)["env"]["TREELAWS_REF"] == f"v{_PROJECT['version']}"
    assert workflow(NIGHTLY)["env"]["LIBRARY"] in settings.LIBRARIES
    oldest = environments()[0]["pins"].split()
    floors = [*_PROJECT["dependencies"], *_PROJECT["optional-dependencies"]["equinox"]]
    for package in ("jax", "equinox"):
        (floor,) = [one for one in floors if one.startswith(f"{package}>=")]
        assert floor.replace(">=", "==") in oldest


def test_the_example_of_a_known_departure_is_one(tmp_path: Path) -> None:
    lines = (DOCS / "known.toml").read_text().splitlines()
    assert known.read(DOCS / "known.toml") == []
    start = next(number for number, line in enumerate(lines) if line.startswith("# ["))
    (tmp_path / "known.toml").write_text("\n".join(line[2:] for line in lines[start:]))
    (found,) = known.read(tmp_path / "known.toml")
    assert law_named(found.law).id == found.law


def test_the_page_names_every_recipe() -> None:
    page = (DOCS / "README.md").read_text()
    assert all(f"]({path.name})" in page for path in DOCS.iterdir() if path.name != "README.md")
