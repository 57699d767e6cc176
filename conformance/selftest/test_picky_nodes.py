"""A value that a constructor rejects is not an input; an error in unflatten breaks a law."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import pytest
from hypothesis import strategies as st

import treelaws
from hypothesis_pytrees import Kind, Recipe, trees
from treelaws.compat import devices
from treelaws.core.failure import Breach, UnexpectedError
from treelaws.core.obstacles import without_input
from treelaws.core.rejection import rejected
from treelaws.core.search import run, search
from treelaws.core.subject import Subject
from treelaws.laws import law_named
from treelaws.subjects.user import BadSubject, subject_of

from . import picky_nodes as nodes

_ROUND_TRIP = law_named("node.flatten.unflatten_undoes_flatten")
_LAWS = ("node.flatten.*", "node.copies.*equals*", "node.transforms.jit*")


@pytest.mark.sweep
@pytest.mark.parametrize("found", nodes.SOUND, ids=lambda found: found.__name__)
def test_a_sound_class_with_a_picky_constructor_holds(found: type) -> None:
    records = treelaws.check(found, laws=_LAWS, mixed=False, on_broken="return")
    assert {one.verdict for one in records if not one.advisory} == {"held"}


def test_a_module_that_checks_itself_has_instances() -> None:
    assert search(_ROUND_TRIP, subject_of(nodes.Head), examples=5) is None


def test_a_class_without_an_accepted_call_says_why() -> None:
    with pytest.raises(BadSubject) as raised:
        subject_of(nodes.Impossible)
    message = raised.value.args[0]
    assert "Impossible(x=3) raises ValueError: x=3 is below 1000" in message
    assert "as the subject or as instances=" in message
    assert "\n" not in message


def test_a_class_of_which_hints_say_nothing_is_not_empty_in_every_case() -> None:
    told = r"no type hint says what Record takes as 'args', 'kwargs', and without it instances"
    with pytest.raises(BadSubject, match=told):
        subject_of(nodes.Record)
    made = subject_of(lambda: nodes.Record(a=1.0), name="record")
    assert search(_ROUND_TRIP, made, examples=5) is None


def test_a_copy_has_the_child_that_the_first_flatten_makes() -> None:
    subject = subject_of(nodes.Lazy)
    law = law_named("node.copies.copy_keeps_structure_and_leaves")
    assert search(law, subject, examples=5) is None
    assert search(law_named("node.flatten.flatten_changes_nothing_in_the_node"), subject)


def test_a_constructor_that_runs_in_unflatten_is_blamed() -> None:
    breach = search(_ROUND_TRIP, subject_of(nodes.Twice), examples=5)
    assert isinstance(breach, UnexpectedError)
    assert "is not a float" in breach.difference


def test_a_function_that_raises_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> None:
        raise AssertionError("array found on more than one device")

    monkeypatch.setenv("XLA_FLAGS", devices.FLAG)
    with pytest.raises(BadSubject, match="making an instance raises AssertionError") as raised:
        subject_of(nodes.Lazy, instances=make)
    message = raised.value.args[0]
    assert "test_picky_nodes.py:" in message
    assert "JAX_NUM_CPU_DEVICES=1" in message
    assert "instances=" not in message


def test_a_law_that_takes_no_instance_is_skipped() -> None:
    class Local(NamedTuple):
        x: float

    found = without_input(law_named("node.copies.pickle_equals_the_original"), subject_of(Local))
    reason = "no instance of Local is an input of this law: it has the feature node:unpicklable"
    assert found == ("skipped", reason)


def _matrices(*shapes: str) -> st.SearchStrategy[Recipe]:
    definition = f"from {nodes.__name__} import Matrix\n"
    arrays = [f"jax.device_put(np.ones({shape}, np.float32))" for shape in shapes]
    return st.sampled_from([Recipe((definition,), (), f"Matrix({text})") for text in arrays])


def test_a_recipe_that_the_constructor_rejects_is_drawn_again() -> None:
    subject = subject_of(nodes.Matrix, instances=_matrices("(2,)", "(2, 3)", "()"))
    law = law_named(f"{_ROUND_TRIP.id}_with_is_leaf")
    for one in (_ROUND_TRIP, law):
        assert search(one, subject, examples=20) is None


def test_instances_that_are_all_rejected_are_refused() -> None:
    with pytest.raises(BadSubject, match="making an instance raises ValueError: x has the shape"):
        subject_of(nodes.Matrix, instances=_matrices("(2,)"))


def _of_kind(text: str) -> Subject:
    kind = Kind("Matrix", text, (f"from {nodes.__name__} import Matrix\n",), takes="array")

    def instances(**options: Any) -> st.SearchStrategy[Recipe]:
        return trees(**{**options, "roots": [kind]})

    return Subject("Matrix", "node", lambda: jax, kind="Matrix", instances=instances)


def test_random_children_that_the_constructor_rejects_are_no_breach() -> None:
    subject = _of_kind("Matrix($0)")
    assert search(_ROUND_TRIP, subject, examples=30) is None
    assert without_input(_ROUND_TRIP, subject) is None


def test_a_law_all_of_whose_inputs_are_rejected_is_skipped() -> None:
    # A trial child has this shape, and no array that laws draw.
    subject = _of_kind("Matrix($0 if $0.shape == (1, 2) else jnp.ravel($0))")
    found = without_input(_ROUND_TRIP, subject)
    assert found is not None
    assert found.verdict == "skipped"
    assert "the constructor rejects each generated call (ValueError: x has" in found.reason


def test_an_error_of_unflatten_while_building_is_not_the_constructors() -> None:
    subject = subject_of(nodes.Twice, instances=lambda: nodes.Twice(1.0))
    text = "jtu.tree_map(lambda leaf: leaf, Twice(1.0))"
    recipe = Recipe((f"from {nodes.__name__} import Twice\n",), (f"node = {text}",))
    with pytest.raises(UnexpectedError) as raised:
        run(_ROUND_TRIP, subject, recipe)
    assert raised.value.building
    assert not rejected(raised.value)


@pytest.mark.parametrize(
    ("found", "options", "line"),
    [
        (nodes.Twice, {}, f"--laws {_ROUND_TRIP.id} --subject {nodes.__name__}:Twice"),
        (nodes.Impossible, {"instances": nodes.make_big}, f"--subject {nodes.__name__}:make_big"),
        (nodes.make_big, {"name": "big"}, f"--subject {nodes.__name__}:make_big"),
        (nodes.Impossible, {"instances": [nodes.make_big()]}, "check(Impossible, instances=..., "),
        (nodes.Impossible, {"instances": lambda: nodes.make_big()}, "laws='node.flatten.unfl"),
    ],
    ids=["class", "function of a module", "renamed", "list", "lambda"],
)
def test_the_rerun_line_repeats_the_instances(found: Any, options: Any, line: str) -> None:
    breach = Breach(_ROUND_TRIP, subject_of(found, **options), Recipe(), AssertionError())
    (rerun,) = [one for one in str(breach).splitlines() if one.startswith("rerun: ")]
    assert line in rerun
