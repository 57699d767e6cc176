"""Nodes that check the arrays in their unflatten are asked for no arrays that they refuse."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import treelaws
from treelaws.failure import UnexpectedError
from treelaws.fitted import refused
from treelaws.law import law_named
from treelaws.running import drawn
from treelaws.third_party import mixing, subject_of

from . import third_party_nodes as nodes

_AXES = ("node.transforms.vmap_maps_every_leaf", "node.transforms.scan_maps_over_a_node")
_REAL = "node.transforms.grad_has_the_structure"
# They put arrays of their own in the place of leaves.
_PUTTING = ("equinox.tree_at.what_is_put_can_be_read", "equinox.tree_at.the_later*")


def _verdicts(made: Any, *laws: str, mixed: bool = False) -> set[tuple[str, str]]:
    records = treelaws.check(made, laws=laws, mixed=mixed, on_broken="return")
    return {(one.verdict, one.message) for one in records if "no tree of" not in one.message}


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


@pytest.mark.parametrize("made", [nodes.make_layer, nodes.make_matrix])
def test_a_library_is_not_blamed_for_what_the_node_refuses(made: Any) -> None:
    assert _verdicts(made, *_PUTTING, mixed=True) == {("held", "")}


def test_a_library_is_not_tried_where_the_node_refuses_every_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    law, mixture = law_named(_PUTTING[0]), _mixture()
    assert (
        mixing.obstacle(law_named("equinox.tree_at.putting_back_changes_nothing"), mixture) is None
    )

    def refuse(law: Any, subject: Any, recipe: Any) -> None:
        bad = nodes.jax.numpy.ones(3)
        raise _met(law, subject, recipe, lambda: nodes.TheirLayer(bad, bad))

    monkeypatch.setattr("treelaws.running.run", refuse)
    reason = "no tree of this law holds a TheirLayer that takes its leaves"
    assert mixing.obstacle(law, mixture) == ("skipped", reason)


def test_what_a_library_raises_is_its_own() -> None:
    law, mixture = law_named(_PUTTING[0]), _mixture()
    (recipe, *_) = drawn(law, mixture, 1)
    layer, bad = nodes.make_layer(), nodes.jax.numpy.ones(3)
    assert refused(_met(law, mixture, recipe, lambda: nodes.TheirLayer(bad, bad)))
    assert not refused(_met(law, mixture, recipe, lambda: _of_a_library(layer)))


def _mixture() -> Any:
    found = mixing.mixtures(subject_of(nodes.make_layer))
    return next(one for one in found if one.base == "equinox")


def _of_a_library(node: Any) -> None:
    raise ValueError(f"{node} is not taken")


def _met(law: Any, subject: Any, recipe: Any, call: Any) -> UnexpectedError:
    try:
        call()
    except Exception as raised:
        return UnexpectedError(law, subject, recipe, raised)
    raise AssertionError("it raises nothing")
