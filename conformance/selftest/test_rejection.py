"""Nodes that check the arrays in their unflatten are asked for no arrays that they refuse."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest

import treelaws
from treelaws.core.failure import UnexpectedError
from treelaws.core.obstacles import without_place
from treelaws.core.rejection import rejected
from treelaws.core.search import draw_cases, search
from treelaws.core.stopped import NoInput
from treelaws.laws import law_named
from treelaws.subjects.user import mixtures, subject_of

from . import user_nodes as nodes
from .operators import Fixed, Summed, Sums
from .strangers import NoNumbers

_AXES = ("node.transforms.vmap_maps_every_leaf", "node.transforms.scan_maps_over_a_node")
_REAL = "node.transforms.grad_has_the_structure"
# They put arrays of their own in the place of leaves.
_PUTTING = ("equinox.tree_at.what_is_put_can_be_read", "equinox.tree_at.the_later*")
# Waits for another error than that of the node.
_WAITING = "equinox.filter.another_spec_leaf_is_refused"
# It adds an object to parts of nodes.
_ADDING = "equinox.tree_tools.updates_are_added_to_subtrees"


def _verdicts(made: Any, *laws: str, mixed: bool = False) -> set[tuple[str, str]]:
    records = treelaws.check(made, laws=laws, mixed=mixed, on_broken="return")
    return {
        (one.verdict, one.message) for one in records if "never generates a tree" not in one.message
    }


def test_shapes_that_agree_do_so_in_a_batch() -> None:
    assert _verdicts(nodes.make_layer, *_AXES, _REAL) == {("held", "")}


def test_a_law_without_inputs_is_skipped_with_what_the_node_says() -> None:
    verdicts = _verdicts(nodes.make_matrix, *_AXES)
    said = "(ValueError: (2, 3, 4) is no shape of a matrix)"
    assert {verdict for verdict, _ in verdicts} == {"skipped"}
    assert all(message.endswith(said) for _, message in verdicts)
    assert _verdicts(nodes.make_matrix, _REAL) == {("held", "")}
    required = dataclasses.replace(subject_of(nodes.make_matrix), requires="jax")
    assert _verdicts(required, *_AXES) == verdicts


@pytest.mark.sweep
@pytest.mark.parametrize("made", [nodes.make_layer, nodes.make_matrix])
def test_a_library_is_not_blamed_for_what_the_node_refuses(made: Any) -> None:
    assert _verdicts(made, *_PUTTING, mixed=True) == {("held", "")}


@pytest.mark.sweep
def test_a_library_is_not_blamed_for_another_error_of_the_node() -> None:
    make = lambda: NoNumbers(nodes.jax.numpy.ones(2))
    records = treelaws.check(NoNumbers, instances=make, laws=_WAITING, on_broken="return")
    assert [one.verdict for one in records] == ["held"]


@pytest.mark.sweep
@pytest.mark.parametrize("made", [Sums, Fixed])
def test_a_library_is_not_blamed_for_the_operators_of_a_part(made: Any) -> None:
    make = lambda: Summed(made(nodes.jax.numpy.ones(2)))
    assert _verdicts(make, _ADDING, mixed=True) == {("held", "")}


@pytest.mark.sweep
def test_weak_types_of_a_node_are_those_of_the_result() -> None:
    make = lambda: Summed(nodes.jax.numpy.asarray(1.0))
    assert _verdicts(make, "equinox.trace.*shape*", mixed=True) == {("held", "")}


def test_a_node_that_nnx_holds_as_a_leaf_is_compared_as_a_node() -> None:
    """Without leaves, it stays in the State itself, and a copy is another object."""
    make = lambda: Summed(())
    assert _verdicts(make, "nnx.state.*pickle*", "nnx.state.*copy*", mixed=True) == {("held", "")}


@pytest.mark.sweep
def test_a_library_is_not_tried_where_the_node_refuses_every_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    law, mixture = law_named(_PUTTING[0]), _mixture()
    assert without_place(law_named("equinox.tree_at.putting_back_changes_nothing"), mixture) is None

    def refuse(law: Any, subject: Any, recipe: Any, **_: Any) -> None:
        bad = nodes.jax.numpy.ones(3)
        raise _met(law, subject, recipe, lambda: nodes.TheirLayer(bad, bad))

    monkeypatch.setattr("treelaws.core.obstacles.run", refuse)
    reason = "this law never generates a tree that a TheirLayer fits into"
    assert without_place(law, mixture) == ("skipped", reason)
    monkeypatch.setattr("treelaws.core.search.run", refuse)
    with pytest.raises(NoInput, match=reason):
        search(law, mixture)


@pytest.mark.parametrize("law", [_PUTTING[0], "equinox.filter.a_callable_is_asked_about_each_leaf"])
def test_a_law_of_a_library_sees_the_node_however_few_inputs_are_asked_for(
    law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided: list[Any] = []
    keep = lambda law, subject, recipe, **_: decided.append(recipe)
    monkeypatch.setattr("treelaws.core.search.run", keep)
    assert search(law_named(law), _mixture(), examples=1) is None
    assert decided
    assert all("TheirLayer" in recipe.features for recipe in decided)


def test_what_a_library_raises_is_its_own() -> None:
    law, mixture = law_named(_PUTTING[0]), _mixture()
    (recipe, *_) = draw_cases(law, mixture, 1)
    layer, bad = nodes.make_layer(), nodes.jax.numpy.ones(3)
    assert rejected(_met(law, mixture, recipe, functools.partial(nodes.TheirLayer, bad, bad)))
    assert not rejected(_met(law, mixture, recipe, functools.partial(_of_a_library, layer)))


def test_what_a_function_of_the_package_of_a_node_raises_is_the_nodes() -> None:
    law, mixture = law_named(_PUTTING[0]), _mixture()
    (recipe, *_) = draw_cases(law, mixture, 1)
    assert rejected(_met(law, mixture, recipe, nodes.fails))
    own = dataclasses.replace(law, check=nodes.fails)
    assert not rejected(_met(own, mixture, recipe, nodes.fails))


def _mixture() -> Any:
    found = mixtures.mixtures(subject_of(nodes.make_layer))
    return next(one for one in found if one.base == "equinox")


_LIBRARY: dict[str, Any] = {"__name__": "equinox.some_module"}
exec("def of_a_library(node): raise ValueError(f'{node} is not taken')", _LIBRARY)
_of_a_library = _LIBRARY["of_a_library"]


def _met(law: Any, subject: Any, recipe: Any, call: Any) -> UnexpectedError:
    try:
        call()
    except Exception as raised:
        # Without the frame of this function, which no run has.
        below = raised.__traceback__.tb_next if raised.__traceback__ else None
        return UnexpectedError(law, subject, recipe, raised.with_traceback(below))
    raise AssertionError("it raises nothing")
