"""The questions to every library: each finding and each past bug has one, and laws answer it."""

from __future__ import annotations

import pytest

from treelaws.findings.listing import chosen
from treelaws.laws import all_laws
from treelaws.releases.past_bugs.table import DEFAULT, read_entries
from treelaws.strength.questions.table import LIBRARIES, BadQuestion, Question, questions, read

_IDS = {one.id for one in questions()}
_WHOLE = '[one]\ntitle = "Trees are trees"\n' + "".join(
    f'{library} = "there are none"\n' for library in LIBRARIES
)


def test_each_finding_and_each_past_bug_has_a_question() -> None:
    bugs = {one.id: one.question for one in chosen(every=True)}
    bugs.update({one.id: one.question for one in read_entries(DEFAULT)})
    assert {id: question for id, question in bugs.items() if question not in _IDS} == {}
    assert set(bugs.values()) == _IDS


@pytest.mark.parametrize("question", questions(), ids=lambda one: one.id)
def test_laws_that_answer_a_question_exist(question: Question) -> None:
    assert [
        law for one in question.answers.values() for law in one.laws if law not in all_laws()
    ] == []


def test_every_question_has_an_answer_for_each_library() -> None:
    (only,) = read(_WHOLE)
    assert set(only.answers) == set(LIBRARIES)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('optax = "there are none"', "", r"\[one\] needs 'optax'; required: title, jax"),
        ('title = "Trees are trees"', "", r"\[one\] needs 'title'"),
        ("jax =", "jacks = 1\njax =", r"\[one\] has 'jacks'; allowed: title, jax"),
        ('jax = "there are none"', "jax = 3", r"\[one\] jax: 3; write a list of law ids"),
    ],
)
def test_a_wrong_table_is_refused(old: str, new: str, told: str) -> None:
    with pytest.raises(BadQuestion, match=told):
        read(_WHOLE.replace(old, new))
