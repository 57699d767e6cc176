"""The releases that have a feature: what is stated agrees with the installed release."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import hypothesis_pytrees
from hypothesis_pytrees import Kind
from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.availability import (
    available,
    import_failure,
    lacking,
    refusals,
    usable,
)
from hypothesis_pytrees.core.releases import Since
from hypothesis_pytrees.tables import TABLES

_FUTURE = Since("eqx.nn.Teleport", "equinox>=99", "https://example.com")
# Parts of an expression, and nodes made for one law.
_PARTS = {
    *("alias-leaf", "alias-node", "None", "tuple", "dict", "step", "attribute-round"),
    *("filter", "transformation", "nnx-holder", "function", "way"),
    *("setting", "flax-box", "metric", "form", "exported-node", "callable"),
}


def test_a_text_lacks_what_its_release_lacks() -> None:
    assert names.lacking(["jnp.ones(2)"], [_FUTURE]).startswith(
        "eqx.nn.Teleport needs equinox>=99; equinox "
    )
    assert names.lacking(["jnp.ones(2)"]) == ""


def test_an_import_leaves_random_numbers_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rolls_dice.py").write_text("import random\nROLL = random.random()\n")
    monkeypatch.syspath_prepend(tmp_path)
    state = random.getstate()
    assert import_failure("rolls_dice") == ""
    assert random.getstate() == state


def test_a_kind_outside_of_its_releases_is_not_built() -> None:
    kind = Kind("future", "eqx.nn.Teleport($0)", needs=(_FUTURE,))
    assert "equinox>=99" in lacking(kind)
    assert available([kind]) == usable([kind]) == ()
    assert refusals([kind]) == {}


def test_a_kind_that_fails_within_its_releases_is_a_refusal() -> None:
    kind = Kind("broken", "jnp.no_such_function($0)")
    assert available([kind]) == (kind,)
    assert usable([kind]) == ()
    assert "no_such_function" in str(refusals([kind])[kind])


def test_a_kind_of_a_missing_library_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    from hypothesis_pytrees.core import availability

    monkeypatch.setattr(availability, "absence", lambda module: f"{module} is not installed")
    assert lacking(Kind("away", "chex.Thing($0)")) == "chex is not installed"


def _tables() -> Iterator[tuple[str, str, tuple[Kind, ...]]]:
    """Give each public table of kinds, with the module that holds it and its name."""
    for info in pkgutil.walk_packages(hypothesis_pytrees.__path__, "hypothesis_pytrees."):
        held = vars(importlib.import_module(info.name))
        for name, value in held.items():
            public = name.isupper() and not name.startswith("_") and isinstance(value, tuple)
            if public and all(isinstance(one, Kind) for one in value):
                yield info.name.removeprefix("hypothesis_pytrees."), name, value


def test_each_table_is_in_the_list_by_library() -> None:
    listed = {
        kind
        for tables in TABLES.values()
        for module, names in tables.items()
        for name in names
        for kind in getattr(importlib.import_module(f"hypothesis_pytrees.{module}"), name)
    }
    missing = {
        f"{module}.{name}: {kind.name}"
        for module, name, kinds in _tables()
        for kind in kinds
        if kind not in listed and kind.name not in _PARTS
    }
    assert sorted(missing) == []
