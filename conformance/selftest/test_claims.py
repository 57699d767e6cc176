"""Names and claims of releases: what is stated agrees with the installed release."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import pytest

from hypothesis_pytrees import Kind, trees
from hypothesis_pytrees.core import names
from hypothesis_pytrees.core.availability import absence
from treelaws.compat import claims, devices
from treelaws.core.obstacles import without_input
from treelaws.core.search import search
from treelaws.core.subject import Subject, value_of
from treelaws.laws import all_laws, law_named
from treelaws.releases.names import reading
from treelaws.releases.names.command import specifier
from treelaws.releases.names.used import used
from treelaws.strength.faults.libraries import Patched, in_text
from treelaws.subjects.registry import subject

from .pytest_runs import run_pytest

_LIBRARIES = ("jax", "equinox", "flax", "optax")
_BY_TRANSFORMATION = {
    *("updates", "updates_like_gradients", "ignores_extra_arguments", "accumulator_dtype"),
    *(
        "further_options",
        "takes_a_mask",
        "takes_arrays_for_numbers",
        "saved_by_flax",
        "takes_a_value",
        "tested_with_abstract_parameters",
        "tested_with_extra_arguments",
        "saved_by_equinox",
    ),
    *("has_a_state_of_its_own_kind", "takes_complex_numbers", "made_by_a_factory"),
    "updates_without_a_loop",
}


def _present(package: str) -> str:
    if absence(package):
        pytest.skip(absence(package))
    return package


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("package", _LIBRARIES)
def test_names_are_those_of_the_installed_release(package: str) -> None:
    stated = [name for name in names.table() if name.partition(".")[0] == _present(package)]
    wrong = {name: names.since(name) for name in stated if reading.has(name) != names.has(name)}
    assert not wrong, "run `python -m treelaws names --write`"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("package", _LIBRARIES)
def test_names_of_the_installed_release_are_in_the_table(package: str) -> None:
    _present(package)
    missing = [name for name in used()[package] if name not in names.table() and reading.has(name)]
    assert not missing, "run `python -m treelaws names --write`"


def test_a_need_is_a_claim_or_a_name() -> None:
    for law in all_laws().values():
        family = law.topic.family
        more = _BY_TRANSFORMATION if family == "transformation" else ()
        known = {devices.NEED, *claims.known(family), *more}
        unknown = {one for one in law.needs - known if not _is_name(family, one)}
        assert not unknown, f"{law.id}: run `python -m treelaws names --write`"


def _is_name(family: str, need: str) -> bool:
    return names.since(f"{names.MODULES[family]}.{need}") is not None


def _names_the_place(lib: Any) -> bool:
    with pytest.raises(ValueError) as raised:
        lib.tree_util.tree_map(max, [1, 2], [1])
    return "key path" in str(raised.value)


def _is_node(make: Callable[[Any], Any]) -> Callable[[Any], bool]:
    return lambda library: not jax.tree_util.all_leaves((make(library),))


# A trial of each claim that has one: here it may fail, in a run it would hide a bug.
_TRIALS: Mapping[tuple[str, str], Callable[[Any], bool]] = {
    ("jax", "mismatch_place"): _names_the_place,
    ("nnx", "variables_are_nodes"): _is_node(lambda nnx: nnx.Param(0.0)),
    ("nnx", "modules_are_nodes"): _is_node(lambda nnx: nnx.Rngs(0)),
}


@pytest.mark.parametrize(("family", "claim"), _TRIALS)
def test_a_trial_agrees_with_its_claim(family: str, claim: str) -> None:
    found = subject(family)
    if found.absent:
        pytest.skip(found.absent)
    assert _TRIALS[family, claim](found.lib) == (claim in claims.of(family))


def _refusing(function: Any, parameter: str) -> Any:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def refusing(*args: Any, **options: Any) -> Any:
        if parameter in signature.bind(*args, **options).arguments:
            raise TypeError(f"no parameter {parameter}")
        return function(*args, **options)

    return refusing


@pytest.mark.sweep
@pytest.mark.parametrize(("family", "claim"), claims.named())
def test_a_parameter_that_fails_breaks_a_law(family: str, claim: str) -> None:
    """A claim is not tried, so a release in which it raises an error is not skipped."""
    path = claims.named()[family, claim]
    real = subject(family)
    if real.absent or claim not in real.abilities:
        pytest.skip(f"{family} does not claim {claim}")
    whole, _, parameter = path.rstrip(")").partition("(")
    dotted = whole.removeprefix(f"{names.MODULES[family]}.")
    broken = Patched(real.lib, {dotted: _refusing(value_of(real.lib, dotted), parameter)})
    seen = in_text(family, broken)
    mutant = dataclasses.replace(real, name=claim, library=lambda: broken, libraries=seen)
    laws = [law for law in all_laws().values() if claim in law.needs]
    assert any(search(law, mutant, examples=20) for law in laws)


def test_a_range_names_the_releases_without_a_name() -> None:
    found = {
        version: frozenset(text.split())
        for version, text in {"1": "a", "2": "a b c", "3": "a c", "4": "a b c"}.items()
    }
    ranges = {name: specifier(found, name) for name in "abcd"}
    assert ranges == {"a": "", "b": ">=2,!=3", "c": ">=2", "d": None}
    found["5"] = frozenset("b")
    assert specifier(found, "a") == "<5"


_TESTS = """\
from treelaws.laws.equinox import construction, tree_tools
from treelaws.pytest_plugin.law_tests import law_tests

TestNames = law_tests(construction)
TestTools = law_tests(tree_tools)
"""
# The installed package without one of its names, also for the scripts of failures.
_REMOVED = """\
import pathlib
import sys

places = [pathlib.Path(place, "equinox") for place in sys.path]
here = pathlib.Path(__file__).parent
(real, *_) = [one for one in places if one != here and (one / "__init__.py").is_file()]
__path__ = [str(real)]
exec(compile((real / "__init__.py").read_text(), str(real / "__init__.py"), "exec"))
del tree_check
"""


@pytest.mark.sweep
def test_a_missing_name_fails_its_laws(tmp_path: Path) -> None:
    """A library that lacks a name which its release has is not skipped."""
    _present("equinox")
    (tmp_path / "equinox").mkdir()
    (tmp_path / "equinox" / "__init__.py").write_text(_REMOVED)
    (tmp_path / "test_some.py").write_text(_TESTS)
    chosen = [
        "--laws",
        "equinox.tree_tools.tree_check_refuses_cycles",
        "--laws",
        "*documented_names_exist",
    ]
    run = run_pytest(
        *("-n", "0", "--laws-profile", "quick", "--report", "out", *chosen),
        cwd=tmp_path,
        fresh=True,
    )
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout
    rows = json.loads((tmp_path / "out" / "report.json").read_text())["rows"]
    broken = {row["law"] for row in rows if row["verdict"] == "broken"}
    assert "equinox.construction.documented_names_exist" in broken
    assert any("tree_check" in law for law in broken)
    assert "has no attribute 'tree_check'" in run.stdout


_STUBBORN = """\
@jtu.register_pytree_node_class
class StubbornArray:
    def __init__(self, array):
        if np.ndim(array) > 1:
            raise ValueError("one dimension")
        self.array = array

    def tree_flatten(self):
        return (self.array,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        made = object.__new__(cls)
        made.array = children[0]
        if np.ndim(made.array) > 1:
            raise ValueError("one dimension")
        return made
"""


def test_shapes_are_not_tried_for_nodes_of_the_suite() -> None:
    """A library's node that refuses a batch breaks a law; a user's class may refuse it."""
    kind = Kind("stubborn", "StubbornArray(jax.device_put(np.float32([1.0, 2.0])))", (_STUBBORN,))
    law = law_named("node.transforms.vmap_maps_every_leaf")
    theirs = Subject(
        "theirs",
        "node",
        lambda: jax,
        instances=functools.partial(trees, roots=[kind], kinds=[kind]),
    )
    ours = dataclasses.replace(theirs, name="ours", part_of="jax")
    assert without_input(law, theirs)
    assert search(law, ours) is not None
