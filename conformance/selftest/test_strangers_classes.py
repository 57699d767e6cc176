"""No law of nodes is broken by a sound class of somebody else, or by the defect of another law."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import pytest

import treelaws
from treelaws.reproduce.script import offer

from .strangers import BROKEN, SOUND, Behind, Settings

_ROUND = "node.flatten.unflatten_undoes_flatten"
_DIFFERENTIATED = {"derivatives", "each", "grad", "jvp", "vjp", "jacobian", "hessian"}


@functools.cache
def _records(name: str) -> tuple[treelaws.Record, ...]:
    make = SOUND[name] if name in SOUND else BROKEN[name][0]
    # No test here looks at a script, and each takes seconds. The instances differ in no leaf: few
    # examples are as good as many.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("treelaws.api.recording.offer", functools.partial(offer, run_script=False))
        found = treelaws.check(
            type(make()),
            instances=make,
            laws="node.*",
            mixed=False,
            profile="quick",
            on_broken="return",
        )
    return tuple(found)


def _skipped(name: str) -> dict[str, str]:
    """Return the reasons of the skipped laws by the names of the laws."""
    return {
        one.law.rpartition(".")[2]: one.message
        for one in _records(name)
        if one.verdict == "skipped"
    }


@pytest.mark.sweep
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_class_breaks_no_law(name: str) -> None:
    records = _records(name)
    assert {one.verdict for one in records if not one.advisory} <= {"held", "skipped"}
    assert [one.verdict for one in records if one.law == _ROUND] == ["held"]


@pytest.mark.sweep
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_class_breaks_the_laws_that_name_its_defect(name: str) -> None:
    broken = {one.law for one in _records(name) if one.fails}
    assert broken == BROKEN[name][1]
    assert {one.verdict for one in _records(name)} <= {"held", "broken", "blocked", "skipped"}


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["sized (2,)", "sized (2, 3)", "sized (3, 4)", "one array twice"])
def test_no_law_is_skipped_for_the_shape_of_an_array(name: str) -> None:
    assert _skipped(name) == {}


def test_a_class_that_refuses_other_shapes_is_not_batched() -> None:
    skipped = _skipped("checks shapes")
    refused = {law: reason for law, reason in skipped.items() if "refuses arrays" in reason}
    assert skipped == refused
    assert refused.keys() == {
        "each_way_maps_over_a_stack",
        "vmap_maps_every_leaf",
        "vmap_takes_axes_as_a_node",
        "scan_maps_over_a_node",
        "jacobian_is_a_node_of_nodes",
        "hessian_is_a_node_of_nodes",
        "hessian_of_an_argument_comes_with_aux",
    }
    assert "(2, 2, 3) is not the shape of a matrix" in refused["vmap_maps_every_leaf"]


@pytest.mark.sweep
def test_integers_are_not_differentiated() -> None:
    skipped = _skipped("wants dtypes")
    assert {law.partition("_")[0] for law in skipped} == _DIFFERENTIATED
    reason = "jax.grad takes real floating leaves, and one has the dtype int32"
    assert all(message.endswith(reason) for message in skipped.values())


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "law", "reason"),
    [
        ("compiled function", "deepcopy_equals_the_original", "copy.deepcopy restores no equal"),
        ("compiled function", "treedef_survives_deepcopy", "copy.deepcopy restores no equal relu"),
        ("lambda", "treedef_survives_pickle", "pickle restores no equal"),
        ("lambda", "equal_builds_have_equal_treedefs", "each instance holds another function"),
        ("lambda", "jit_does_not_retrace_for_an_equal_node", "another function"),
        ("lambda as leaf", "pickle_equals_the_original", "pickle restores no equal"),
        ("nested partial", "treedef_survives_pickle", "pickle restores no equal"),
        ("local class", "pickle_equals_the_original", "the feature node:unpicklable"),
        ("lock", "pickle_equals_the_original", "pickle cannot copy the static value"),
    ],
)
def test_a_part_that_cannot_be_copied_is_named(name: str, law: str, reason: str) -> None:
    assert reason in _skipped(name)[law]
    assert "0x" not in _skipped(name)[law]


def test_functions_that_can_be_copied_are_inputs() -> None:
    assert _skipped("module-level function") == {}
    assert "deepcopy_equals_the_original" not in _skipped("lambda")
    assert "treedef_survives_pickle" not in _skipped("lambda as leaf")


def test_the_hints_of_a_constructor_behind_a_metaclass_are_read() -> None:
    records = treelaws.check(Behind, laws="node.aux.*", mixed=False, on_broken="return")
    assert {one.verdict for one in records if not one.advisory} <= {"held", "skipped"}


@pytest.mark.sweep
def test_an_array_that_a_node_holds_twice_is_not_donated_twice() -> None:
    make = SOUND["one array twice"]
    laws = ("equinox.jit.donation_changes_no_result", "equinox.jit.donated_arrays_are_gone")
    records = treelaws.check(type(make()), instances=make, laws=laws, on_broken="return")
    assert [one.verdict for one in records] == ["held", "held"]


@pytest.mark.sweep
def test_a_mapping_is_no_value_of_a_pure_dict() -> None:
    laws = ["nnx.forms.its_own_pure_dict_changes_nothing"]
    laws += ["nnx.split.merge_takes_nested_dicts_of_values", "nnx.split.merge_undoes_split"]
    records = treelaws.check(
        Settings,
        instances=lambda: Settings(jnp.ones(2), jnp.zeros(3)),
        laws=laws,
        on_broken="return",
    )
    verdicts = {one.law: one.verdict for one in records}
    assert verdicts == {laws[0]: "skipped", laws[1]: "skipped", laws[2]: "held"}
