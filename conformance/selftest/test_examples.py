"""The examples of published libraries: their files, the command, and the judged results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("optax", exc_type=ImportError)
pytest.importorskip("equinox", exc_type=ImportError)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from examples import table, verdicts
from examples.factories import examples, expressions, not_tried
from examples.finding import is_node_type, node_types
from examples.library import HERE, Judgement, Library, libraries

_HASHABLE = "node.aux.aux_data_is_hashable"
_BROKEN = """\
@jax.tree_util.register_pytree_node_class
class ExampleList:
    def __init__(self, x):
        self.x = x

    def tree_flatten(self):
        return (self.x,), ['a list']

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)
"""
_JUDGEMENT = Judgement("list", (_HASHABLE,), "a list has no hash", "an error")
RUN = [one for one in libraries() if one.results.exists()]


@pytest.fixture(scope="module")
def optax() -> Library:
    return next(one for one in libraries() if one.package == "optax")


def test_no_public_node_type_of_optax_is_left_out(optax: Library) -> None:
    found, tried = node_types(optax), expressions(optax)
    assert len(found) > 30
    assert [name for name in found if name not in tried and not not_tried(optax, name)] == []
    assert all(map(is_node_type, found.values()))


def test_the_factories_of_optax_make_its_states(optax: Library, tmp_path: Path) -> None:
    for example in examples(optax, tmp_path):
        assert type(example.factory()) is node_types(optax)[example.node_type]


@pytest.mark.parametrize("hints", [False, True])
def test_a_law_holds_on_a_state_of_optax(optax: Library, tmp_path: Path, hints: bool) -> None:
    example = next(one for one in examples(optax, tmp_path) if "Adam" in one.node_type)
    found = verdicts.tried(example, hints=hints, laws=_HASHABLE)
    assert found["verdicts"] == {"held": 1}
    assert found["reports"] == []


@pytest.mark.parametrize(("judgements", "left"), [((), 1), ((_JUDGEMENT,), 0)])
def test_a_report_without_a_judgement_is_printed(
    judgements: tuple[Judgement, ...], left: int
) -> None:
    library = Library(
        "hypothesis",
        {},
        _BROKEN,
        own={"hypothesis, a list": "ExampleList($0)"},
        judgements=judgements,
        searched=False,
    )
    results = verdicts.run(library, laws=_HASHABLE, tell=lambda line: None)
    printed = list(verdicts.unjudged(library, results))
    # Without hints, only the call with the function makes instances.
    assert len(printed) == left
    assert ["refused" in one for one in results] == [False, True]
    assert all("ExampleList" in one and _HASHABLE in one for one in printed)


@pytest.mark.parametrize("library", RUN, ids=lambda one: one.package)
def test_each_failing_law_is_judged(library: Library) -> None:
    found = [judged for *_, judged in table.failing(library)]
    assert None not in found
    assert [one.name for one in library.judgements if one not in found] == []


def test_the_readme_has_the_table_and_the_judgements() -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    assert table.shares() in text
    assert table.table() in text
    assert table.judgements(false_alarms=False) in text
    assert table.judgements(false_alarms=True) in text


def test_false_alarms_are_rare_and_a_defect_has_one_report() -> None:
    total = table.total([table.counted(one) for one in RUN])
    assert total["false alarms"] <= 0.01 * total["failing"]
    assert total["reports"] <= 1.3 * total["defects"]
