"""Writes an issue about a broken law, in the template of the project it is for."""

from __future__ import annotations

import platform
import textwrap
from collections.abc import Mapping

from treelaws import compat
from treelaws.compat.environment import environment
from treelaws.core.departures import known
from treelaws.core.failure import Breach
from treelaws.core.law import Law
from treelaws.core.mismatch import Mismatch

from .quotes import quote_for
from .script import offer
from .witness import witness_of

# The project to report to, by the package that the subject requires.
PROJECTS: Mapping[str, str] = {
    "": "jax-ml/jax",
    "equinox": "patrick-kidger/equinox",
    "flax": "google/flax",
    "optax": "google-deepmind/optax",
    "chex": "google-deepmind/chex",
}
# The template for projects without one of their own.
_PLAIN = """\
{title}

### What happens

{problem}

### What the documentation promises

{promise}

### To reproduce

{script}

### Environment

{environment}
"""
# Source: https://github.com/jax-ml/jax/blob/main/.github/ISSUE_TEMPLATE/bug-report.yml
_JAX = """\
BUG: {title}

### Description

{problem}

{promise}

{script}

### What jax/jaxlib version are you using?

jax {jax}, jaxlib {jaxlib}

### Which accelerator(s) are you using?

{backend}

### Additional System Info

Python {python}, {system}; {environment}
"""
# Source: https://github.com/google/flax/blob/main/.github/ISSUE_TEMPLATE/bug_report.md
_FLAX = """\
{title}

### System information

- OS Platform and Distribution: {system}
- Flax, jax, jaxlib versions: {flax}, {jax}, {jaxlib}
- Python version: {python}
- GPU/TPU model and memory: {backend}

### Problem you have encountered:

{problem}

### What you expected to happen:

{promise}

### Logs, error messages, etc:

{environment}

### Steps to reproduce:

{script}
"""
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
_FORMS = {"jax-ml/jax": _JAX, "google/flax": _FLAX}


def issue_text(breach: Breach) -> str:
    """Return an issue about a breach as Markdown, with the title in the first line.

    Args:
        breach: the broken law with its input.
    """
    import jax

    law, shown = breach.law, offer(breach)
    answer = _SHOWN.get(shown.answer, shown.answer)
    project = PROJECTS.get(breach.subject.requires, "")
    text = _FORMS.get(project, _PLAIN).format(
        title=_title(breach),
        problem=f"```\n{textwrap.dedent(shown.breach.difference).strip()}\n```",
        promise=promise(law),
        script=f"{answer}\n\n```python\n{shown.script.strip()}\n```",
        environment=environment(),
        backend=jax.default_backend(),
        python=compat.version("python"),
        system=platform.platform(),
        **{name: compat.version(name) or "none" for name in ("jax", "jaxlib", "flax")},
    )
    note = f"<!-- For {project or 'the owner of the class'}; key {witness_of(breach).key} -->"
    return f"{text}\n{note}\n"


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
