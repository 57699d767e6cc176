"""Rows of laws whose worker died, with the input that it ran last."""

from __future__ import annotations

import dataclasses

from hypothesis_pytrees import Recipe
from treelaws.core.failure import EndedProcess
from treelaws.laws import law_named
from treelaws.reproduce.script import offer
from treelaws.reproduce.witness import Witness, installed
from treelaws.subjects.registry import subject as subject_named

from .rows import Row

_CAUSE = "this input ended the process, or the process was killed meanwhile"
_RERUN = "rerun with -n 0"


def lost_row(place: Row, worker: str, recipe: Recipe | None) -> Row:
    """Return the row of a law whose worker died, an error.

    Args:
        place: the row, without its reason.
        worker: name of the worker, such as `gw0`.
        recipe: the input that the law ran on last; `None` if that is not known.
    """
    if recipe is None:
        return dataclasses.replace(place, reason=f"worker {worker} died; {_RERUN}")
    witness = Witness(place.law, place.subject, recipe, installed(), f"  {_CAUSE}")
    return dataclasses.replace(
        place,
        reason=f"worker {worker} died on the input of its script; {_RERUN}",
        witness=witness.content(),
        script=_script(witness),
        answer="not run, since it may end the process",
    )


def _script(witness: Witness) -> str:
    """Return the script of a law; for a law of a user's file, that of its input."""
    try:
        law, subject = law_named(witness.law), subject_named(witness.subject)
    except LookupError:
        return witness.recipe.source()
    return offer(EndedProcess(law, subject, witness.recipe, RuntimeError(_CAUSE))).script
