"""Writes an issue about a broken law, in the template of the project it is for."""

from __future__ import annotations

import textwrap

from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.mismatch import Mismatch

from .issue_templates import PROJECTS, filled
from .quotes import quote_for
from .script import Offer, offer
from .witness import witness_of

_SHOWN = {
    "reproduces": "Run in a fresh interpreter, this script exits with 1:",
    "does not reproduce": "THIS SCRIPT DOES NOT SHOW THE BUG, which is a defect of treelaws:",
}
# Aspects of a mismatch that `wrong ...` does not describe.
_SYMPTOMS = {
    "no error": "no error raised",
    "another error": "wrong error raised",
    "fact": "wrong result",
    "treedefs cannot be compared": "treedefs cannot be compared",
}


def issue_text(breach: Breach) -> str:
    """Return an issue about a breach as Markdown, with the title in the first line.

    Args:
        breach: the broken law with its input.
    """
    shown = offer(breach)
    # JAX itself is the subject that requires no library.
    library = breach.subject.requires or "jax"
    text = filled(
        library,
        title=_title(breach),
        problem=difference(shown.breach),
        promise=promise(breach.law),
        script=script(shown),
        more="",
    )
    project = PROJECTS.get(library, "the owner of the class")
    return f"{text}\n<!-- For {project}; key {witness_of(breach).key} -->\n"


def difference(breach: Breach) -> str:
    """Return the values got and wanted, or the error raised, as a block."""
    return f"```\n{textwrap.dedent(breach.difference).strip()}\n```"


def script(shown: Offer) -> str:
    """Return a script as a block, behind a line that says what running it has shown."""
    answer = _SHOWN.get(shown.answer, shown.answer)
    return f"{answer}\n\n```python\n{shown.script.strip()}\n```"


def _title(breach: Breach) -> str:
    """Return the symptom, then the statement that it contradicts."""
    cause = breach.cause
    if isinstance(cause, Mismatch):
        symptom = _SYMPTOMS.get(cause.aspect, f"wrong {cause.aspect}")
    else:
        symptom = f"{type(cause).__name__} raised"
    return f"{symptom[0].upper()}{symptom[1:]}, expected: {breach.law.statement}"


def promise(law: Law) -> str:
    """Return the quote and the link of the promise, then the statement of the law.

    Args:
        law: the broken law.
    """
    words = quote_for(law)
    if not words:
        return f"{law.sentence}\n{law.source}"
    quoted = "\n".join(f"> {line}".rstrip() for line in words.splitlines())
    return f"{quoted}\n\n{law.source}\n\nWhat is checked: {law.statement}."


def known_as(breach: Breach) -> known.Departure | None:
    """Return the known departure that covers a breach, or `None`."""
    own = (breach.subject.name, breach.subject.base)
    for found in known.applying(breach.law.id):
        same = found.recipe.statements == breach.recipe.statements
        if any(map(found.about, own)) and (same or found.covers(breach.recipe.features)):
            return found
    return None
