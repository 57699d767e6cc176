"""One defect is reported once: broken laws are grouped by cause, the law to read first in front."""

from __future__ import annotations

from typing import Any

import jax
import pytest

import treelaws
from treelaws.core import defects
from treelaws.laws import law_named
from treelaws.reporting import terminal
from treelaws.reporting.markdown import markdown
from treelaws.reporting.report import Report
from treelaws.reporting.rows import Row

from . import cure_examples


@jax.tree_util.register_pytree_node_class
class ListInAux:
    """Its aux data is a list, which has no hash."""

    def __init__(self, value: Any, names: list[str]) -> None:
        self.value, self.names = value, names

    def tree_flatten(self) -> Any:
        return (self.value,), self.names

    @classmethod
    def tree_unflatten(cls, aux: list[str], children: Any) -> ListInAux:
        made = object.__new__(cls)
        (made.value,), made.names = children, aux
        return made


def _list_in_aux() -> ListInAux:
    return ListInAux(1.0, ["a"])


class _Part:
    """Compared by identity."""


@jax.tree_util.register_pytree_node_class
class Configured:
    """Each build has another part, and so many options that a report cuts them."""

    def __init__(self, value: Any):
        self.value = value
        self.options = (*((f"option {index}", index) for index in range(40)), ("part", _Part()))

    def tree_flatten(self) -> Any:
        return (self.value,), (type(self), self.options)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Configured:
        made = object.__new__(cls)
        (made.value,), (_, made.options) = children, aux
        return made


@pytest.mark.sweep
def test_differences_in_one_place_are_one_defect() -> None:
    assert len(_raised(lambda: Configured(1.0)).defects) == 1


def _raised(factory: Any) -> treelaws.ConformanceError:
    with pytest.raises(treelaws.ConformanceError) as raised:
        treelaws.check(factory, laws="node.*", mixed=False)
    return raised.value


@pytest.fixture(scope="module")
def by_identity() -> treelaws.ConformanceError:
    return _raised(cure_examples.ObjectAux)


@pytest.mark.sweep
def test_aux_data_compared_by_identity_is_one_defect(
    by_identity: treelaws.ConformanceError,
) -> None:
    assert len(by_identity.defects) == 1
    assert by_identity.defects[0][0].law == "node.aux.equal_builds_have_equal_treedefs"


@pytest.mark.sweep
def test_the_message_counts_and_names_every_law(by_identity: treelaws.ConformanceError) -> None:
    failing = [one for one in by_identity.records if one.fails]
    text = str(by_identity)
    assert len(failing) > 1
    assert text.startswith(f"1 defect breaks {len(failing)} laws\n\n")
    assert all(one.law in text for one in failing)
    assert text.count("standalone script, reproduces") == 1


def test_records_name_the_one_to_read(by_identity: treelaws.ConformanceError) -> None:
    first, *others = by_identity.defects[0]
    assert first.cause is None
    assert {one.cause for one in others} <= {(first.law, first.subject)}


def test_aux_data_without_a_hash_is_one_defect() -> None:
    raised = _raised(_list_in_aux)
    assert [group[0].law for group in raised.defects] == ["node.aux.aux_data_is_hashable"]


@jax.tree_util.register_pytree_node_class
class BareChild:
    """Its flatten returns the child itself, where a sequence of children is wanted."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def tree_flatten(self) -> Any:
        return self.value, None

    @classmethod
    def tree_unflatten(cls, aux: None, children: Any) -> BareChild:
        return cls(*children)


@pytest.mark.sweep
def test_what_jax_says_about_a_flatten_is_one_defect() -> None:
    raised = _raised(lambda: BareChild(1.0))
    assert [group[0].law for group in raised.defects] == ["node.flatten.unflatten_undoes_flatten"]


def _row(law: str, *marks: str, subject: str = "mine:Box") -> Row:
    return Row(law, subject, "broken", difference=f"of {law}", marks=marks)


ROWS = (
    _row("node.aux.aux_data_is_hashable", "mine:Box: a"),
    _row("node.copies.pickle_equals_the_original", "mine:Box: b"),
    _row("node.flatten.unflatten_undoes_flatten", "mine:Box: a", "mine:Box: c"),
    _row("node.transforms.vmap_maps_every_leaf", "mine:Box: c"),
    _row("node.flatten.unflatten_undoes_flatten", "mine:Bag: a", subject="mine:Bag"),
)


def _report() -> Report:
    environment = {"libraries": {}, "python": "3", "backend": "cpu", "x64": False}
    suite = {"seed": 1, "profile": "quick", "edition": "1"}
    return Report(environment, suite, {}, ROWS)


def test_groups_are_joined_by_any_mark_and_sorted_by_nearness() -> None:
    groups = defects.grouped(
        ROWS, marks=lambda row: row.marks, rank=lambda row: defects.rank(law_named(row.law))
    )
    assert [[ROWS.index(row) for row in rows] for rows in groups] == [[2, 0, 3], [4], [1]]


def test_the_terminal_tells_each_defect_once() -> None:
    told = [line for line in terminal.lines(_report()) if "mine:" in line or "defect" in line]
    assert told[0] == "3 defects break 5 laws"
    assert len(told) == 4


def test_the_summary_of_a_job_has_one_heading_for_each_defect() -> None:
    text = markdown(_report())
    assert text.count("## broken") == 3
    assert "The same cause breaks 2 more: `node.aux.aux_data_is_hashable` [mine:Box]" in text
