"""A user's class, instances, factory or library becomes a subject with the same verdicts."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import pytest
from hypothesis import strategies as st

from hypothesis_pytrees import Recipe
from treelaws import search
from treelaws.core.search import draw_cases, root_breach
from treelaws.core.subject import Subject
from treelaws.laws import law_named
from treelaws.subjects.user import BadSubject, subject_of
from treelaws.subjects.user.mixtures import mixtures

from . import user_nodes as nodes
from .python_runs import run_python

HERE = Path(__file__).resolve().parent
_ROUND_TRIP = "node.flatten.unflatten_undoes_flatten"
_LAWS = "node.flatten.*unflatten*"


def _drawn(subject: Subject) -> Any:
    """Build one instance."""
    found = []
    assert subject.instances is not None
    strategy = subject.instances(history=False)

    def keep(recipe: Recipe) -> None:
        found.append(recipe.build())

    from hypothesis import given, settings

    settings(max_examples=3, database=None, deadline=None)(given(strategy)(keep))()
    return found[-1]


@pytest.mark.parametrize(
    "made",
    [
        lambda: subject_of(nodes.TheirPair),
        lambda: subject_of(nodes.make_pair),
        lambda: subject_of(nodes.PAIRS),
        lambda: subject_of(nodes.TheirPair, instances=nodes.make_pair, name="by a factory"),
        lambda: subject_of(nodes.TheirPair, instances=nodes.PAIRS, name="by a list"),
        lambda: subject_of(
            nodes.TheirPair,
            instances=st.builds(
                nodes.TheirPair, st.just(jax.numpy.ones(2)), st.just(jax.numpy.ones(3))
            ),
            name="by a strategy",
        ),
    ],
    ids=["class", "factory", "list", "class with factory", "class with list", "with strategy"],
)
def test_instances_are_made(made: Any) -> None:
    subject = made()
    assert type(_drawn(subject)) is nodes.TheirPair
    assert search(law_named(_ROUND_TRIP), subject, examples=5) is None


def test_what_goes_into_the_aux_data_is_no_tree() -> None:
    assert [kind.template for kind in subject_of(nodes.TheirTagged).kinds] == [
        "TheirTagged(x=$0, tags=('static', 'static'), path='static', size=float)",
        "TheirTagged(x=$0, tags=(), path='static', size=float)",
    ]


class _Maker:
    def make(self) -> Any:
        return nodes.make_pair()

    def __call__(self) -> Any:
        return nodes.make_pair()


@pytest.mark.parametrize(
    ("factory", "text"),
    [
        (functools.partial(nodes.make_sized, 2, fill=1.0), "return make_sized(2, fill=1.0)"),
        (functools.partial(nodes.make_sized, object()), "a partial, is in no file"),
        (_Maker().make, "a method, is in no file"),
        (_Maker(), "a _Maker, is in no file"),
    ],
    ids=["partial of literals", "partial", "method", "object"],
)
def test_a_factory_without_a_name_of_its_own_is_called(factory: Any, text: str) -> None:
    subject = subject_of(nodes.TheirPair, instances=factory, name="by a nameless factory")
    assert type(_drawn(subject)) is nodes.TheirPair
    assert text in subject.kinds[0].definitions[0]
    assert search(law_named(_ROUND_TRIP), subject, examples=5) is None


def test_a_strategy_of_recipes_stays_as_it_is() -> None:
    recipe = Recipe((f"from {nodes.__name__} import make_pair\n",), (), "make_pair()")
    subject = subject_of(nodes.TheirPair, instances=st.just(recipe))
    assert type(_drawn(subject)) is nodes.TheirPair


def test_a_broken_node_is_found_and_its_cure_named() -> None:
    breach = search(law_named(_ROUND_TRIP), subject_of(nodes.TheirCounter), shrink=True)
    assert breach is not None
    text = " ".join(str(breach).split())
    assert "fix: TheirCounter.__init__ runs whenever JAX unflattens a TheirCounter" in text
    assert "object.__new__(TheirCounter)" in text
    assert search(law_named(_ROUND_TRIP), subject_of(nodes.TheirStore)) is None


def test_a_class_of_a_test_file_is_written_out() -> None:
    breach = search(law_named(_ROUND_TRIP), subject_of(nodes.TheirCounter))
    assert breach is not None
    source = breach.recipe.source()
    assert "class TheirCounter:" in source
    assert "register_pytree_node_class" in source
    assert "class TheirStore" not in source


@pytest.mark.parametrize(
    ("found", "options", "line"),
    [
        (nodes.TheirUnhinted, {}, "argument 'thing' of TheirUnhinted has no type hint"),
        (nodes.TheirLeaf, {}, "a TheirLeaf is a leaf to JAX, not a node"),
        (nodes.TheirPair, {"instances": []}, "instances=[] gives no instance"),
        (nodes.TheirPair, {"instances": 3}, "instances=3 gives no instance"),
        (nodes.TheirPair, {"instances": lambda: 1.0}, "a float is a leaf to JAX"),
        (42, {}, "what is given is of type int; give a node class"),
        (SimpleNamespace(), {}, "what is given is of type SimpleNamespace"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_subject_says_why(found: Any, options: Any, line: str) -> None:
    with pytest.raises(BadSubject) as raised:
        subject_of(found, **options)
    assert line in raised.value.args[0]
    assert "\n" not in raised.value.args[0]


def test_a_part_of_a_library_is_a_library() -> None:
    eqx = pytest.importorskip("equinox")
    sound = SimpleNamespace(partition=eqx.partition, combine=eqx.combine)
    broken = SimpleNamespace(partition=eqx.partition, combine=lambda *trees: trees[0])
    law = law_named("equinox.filter.combine_undoes_partition")
    assert search(law, subject_of(sound, name="sound"), examples=20) is None
    assert search(law, subject_of(broken, name="broken")) is not None
    missing = subject_of(sound, name="sound").missing({"tree_at"})
    assert missing == ["tree_at"]


def _mixture(library: str) -> Subject:
    pytest.importorskip("flax.nnx" if library == "nnx" else library)
    (mixture,) = [one for one in mixtures(subject_of(nodes.TheirPair)) if one.base == library]
    assert mixture.name == f"{library} with {nodes.__name__}:TheirPair"
    return mixture


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("law", "least"),
    [
        ("equinox.filter.combine_undoes_partition", 40),
        ("nnx.state.mapping_the_identity_keeps_a_state", 20),
    ],
)
def test_trees_of_libraries_hold_the_node(law: str, least: int) -> None:
    recipes = draw_cases(law_named(law), _mixture(law.partition(".")[0]), 400)
    held = [recipe for recipe in recipes if "TheirPair" in recipe.features]
    assert len(held) >= least


@pytest.mark.parametrize(
    "law",
    [
        "equinox.jit.jitted_function_equals_the_function",
        "equinox.grad.gradient_agrees_with_jax",
        "equinox.tree_at.putting_back_changes_nothing",
    ],
)
def test_trees_hold_an_instance_as_it_is(law: str) -> None:
    pytest.importorskip("equinox")
    (mixture,) = [one for one in mixtures(subject_of(nodes.make_pair)) if one.base == "equinox"]
    recipes = draw_cases(law_named(law), mixture, 60)
    held = [recipe for recipe in recipes if "TheirPair" in recipe.features]
    assert len(held) >= 5
    assert all("make_pair()" in recipe.source() for recipe in held)
    assert search(law_named(law), mixture, examples=6) is None


def test_a_law_about_other_leaves_holds_no_instance() -> None:
    law = law_named("equinox.vmap.default_axes_map_arrays_alone")
    mixtures_of = mixtures(subject_of(nodes.make_layer))
    (mixture,) = [one for one in mixtures_of if one.base == "equinox"]
    recipes = draw_cases(law, mixture, 60)
    assert not any("TheirLayer" in recipe.features for recipe in recipes)


@pytest.mark.sweep
def test_a_node_stands_inside_others() -> None:
    recipes = draw_cases(
        law_named("equinox.filter.combine_undoes_partition"), _mixture("equinox"), 400
    )
    assert any(one.endswith(">TheirPair") for recipe in recipes for one in recipe.features)


def test_what_the_library_breaks_alone_is_blocked() -> None:
    law = law_named("equinox.filter.combine_undoes_partition")
    eqx = pytest.importorskip("equinox")
    broken = SimpleNamespace(partition=eqx.partition, combine=lambda *trees: trees[0])
    host = subject_of(broken, name="broken-fork")
    mixture = dataclasses.replace(
        _mixture("equinox"), library=host.library, base=host.name, host=host
    )
    breach = search(law, mixture)
    assert breach is not None
    assert "TheirPair" in breach.recipe.features
    cause = root_breach(law, mixture)
    assert cause is not None
    assert cause.subject is host


_IMPORT = f"import treelaws\nfrom {nodes.__name__} import TheirCounter\n"
_REGISTERING = f"{_IMPORT}\ntreelaws.register(TheirCounter)\n"
_PARAMETRIZED = f"""\
{_IMPORT}

@treelaws.parametrize(TheirCounter, laws={_LAWS!r})
def test_counting(law):
    law()
"""
_CHECKED = f"""\
import json, sys
{_IMPORT}
found = treelaws.check(TheirCounter, laws={_LAWS!r}, on_broken="return")
rows = [{{"law": one.law, "subject": one.subject, "verdict": one.verdict}} for one in found]
json.dump({{"rows": rows}}, open(sys.argv[1], "w"))
"""
_NAME = f"{nodes.__name__}:TheirCounter"


def _run(folder: Path, *words: str) -> dict[str, str]:
    """Run a command in a folder and give the verdicts that it reports, by law."""
    paths = [str(folder), str(HERE), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    environment.pop("PYTEST_XDIST_WORKER", None)
    run = run_python(words, cwd=folder, environment=environment)
    path = folder / "report.json"
    assert path.exists(), run.stdout + run.stderr
    rows = json.loads(path.read_text())["rows"]
    return {row["law"]: row["verdict"] for row in rows if row["subject"] == _NAME}


@pytest.fixture(scope="module")
def by_option(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("option")
    return _run(folder, *_pytest("--pyargs", "treelaws", "--subject", _NAME))


def _pytest(*words: str) -> list[str]:
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "treelaws.plugin"]
    return [*command, *words, "--laws", _LAWS, "--report", ".", "--laws-profile", "quick"]


def test_the_option_finds_what_is_broken(by_option: dict[str, str]) -> None:
    assert by_option[_ROUND_TRIP] == "broken"
    assert len(by_option) > 5


def test_a_conftest_gives_the_same_verdicts(by_option: dict[str, str], tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text(_REGISTERING)
    found = _run(tmp_path, *_pytest("tests", "--pyargs", "treelaws", "--subject", _NAME))
    assert found == by_option


def test_an_entry_point_gives_the_same_verdicts(by_option: dict[str, str], tmp_path: Path) -> None:
    facts = tmp_path / "theirs-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[treelaws.subjects]\ncounting = {_NAME}\n")
    # A subject that no option names.
    found = _run(tmp_path, *_pytest("--pyargs", "treelaws", "-k", "TheirCounter"))
    assert found == by_option


def test_parametrize_gives_the_same_verdicts(by_option: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(_PARAMETRIZED)
    assert _run(tmp_path, *_pytest("test_theirs.py")) == by_option


@pytest.mark.sweep
def test_check_gives_the_same_verdicts(by_option: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(_CHECKED)
    assert _run(tmp_path, "run.py", "report.json") == by_option
