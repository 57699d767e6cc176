"""The examples of the page of idioms run, and its witnesses fail as stated."""

from __future__ import annotations

import pytest

from treelaws.core.settings import LEVELS
from treelaws.laws.idioms import _idiom
from treelaws.pages import idioms

PROBLEMS = idioms.problems()
TEXTS = [text for problem in PROBLEMS for text in problem.texts()]


@pytest.mark.sweep
@pytest.mark.parametrize(
    "text", [pytest.param(text, id=text.about) for text in TEXTS if text.runs_here]
)
def test_text_ends_as_stated(text: _idiom.Text) -> None:
    assert text.outcome() == text.raises, text.printed()


@pytest.mark.parametrize(
    "idiom",
    [pytest.param(idiom, id=idiom.title) for problem in PROBLEMS for idiom in problem.idioms],
)
def test_verdict_has_its_grounds(idiom: _idiom.Idiom) -> None:
    """An idiom that holds cites a law; one that fails, even in part, shows a witness."""
    assert idiom.verdict in _idiom.VERDICTS
    assert all(law.level in LEVELS for law in idiom.laws)
    if idiom.verdict == "holds":
        assert idiom.laws
        assert not idiom.witnesses
    else:
        assert idiom.witnesses
    assert idiom.example is None or not idiom.example.raises
    assert all(witness.raises for witness in idiom.witnesses)


def test_about_is_said_once() -> None:
    said = [text.about for text in TEXTS]
    assert len(set(said)) == len(said)
