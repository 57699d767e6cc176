"""The questions of `questions.toml`: for each library the laws that ask it, or why none does."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from treelaws.compat import toml
from treelaws.core.errors import BadInput

FILE = Path(__file__).with_name("questions.toml")
LIBRARIES = {
    "jax": "JAX and own nodes",
    "equinox": "Equinox",
    "nnx": "Flax NNX",
    "flax": "Flax",
    "optax": "Optax",
}


class BadQuestion(BadInput):
    """A question lacks something, or has what is not allowed; the text names it."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What one library has to say to a question; only one of the three is given.

    Args:
        laws: ids of the laws that ask it there.
        reason: why it does not arise.
        gap: the function and the input that a law should ask, but none does.
    """

    laws: tuple[str, ...] = ()
    reason: str = ""
    gap: str = ""


@dataclasses.dataclass(frozen=True)
class Question:
    """What a bug of one library asks of every library.

    Args:
        id: its table in the file.
        title: what should hold, in one sentence.
        answers: by library, the laws that ask it there, or why none does.
    """

    id: str
    title: str
    answers: Mapping[str, Answer]


@functools.cache
def questions() -> Sequence[Question]:
    """Return the questions of the committed table, in its order.

    Raises:
        BadQuestion: the table has a question without a title or without one of the libraries.
    """
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> Sequence[Question]:
    """Return the questions of a table.

    Args:
        text: the table, in TOML.

    Raises:
        BadQuestion: the table has a question without a title or without one of the libraries.
    """
    return [_question(name, table) for name, table in toml.loads(text).items()]


def _question(name: str, table: Mapping[str, Any]) -> Question:
    allowed = ("title", *LIBRARIES)
    for key in allowed:
        if not table.get(key):
            raise BadQuestion(
                f"{FILE.name}: [{name}] needs {key!r}; required: {', '.join(allowed)}"
            )
    if unknown := sorted(set(table) - set(allowed)):
        raise BadQuestion(
            f"{FILE.name}: [{name}] has {unknown[0]!r}; allowed: {', '.join(allowed)}"
        )
    answers = {library: _answer(f"[{name}] {library}", table[library]) for library in LIBRARIES}
    return Question(name, table["title"], answers)


def _answer(place: str, told: Any) -> Answer:
    if isinstance(told, str):
        return Answer(reason=told)
    if isinstance(told, list) and all(isinstance(one, str) for one in told):
        return Answer(laws=tuple(told))
    if isinstance(told, dict) and set(told) == {"gap"} and isinstance(told["gap"], str):
        return Answer(gap=told["gap"])
    cure = 'a list of law ids, a sentence why it does not arise, or { gap = "what to ask" }'
    raise BadQuestion(f"{FILE.name}: {place}: {told!r}; write {cure}")
