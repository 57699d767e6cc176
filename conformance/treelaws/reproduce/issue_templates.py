"""The issue templates of the projects."""

from __future__ import annotations

import platform
from collections.abc import Mapping

from treelaws import compat
from treelaws.compat.environment import environment

# The project to report to, by distribution.
PROJECTS: Mapping[str, str] = {
    "jax": "jax-ml/jax",
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

### What the documentation says

{promise}

### To reproduce

{script}
{more}
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
{more}
### What jax/jaxlib version are you using?

jax {jax}, jaxlib {jaxlib}

### Which accelerator(s) are you using?

{backend}

### Additional System Info

Python {python}, {system}
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

Above.

### Steps to reproduce:

{script}
{more}"""
_TEMPLATES = {"jax": _JAX, "flax": _FLAX}


def filled(library: str, **parts: str) -> str:
    """Return an issue in the template of a project, with the title in the first line.

    Args:
        library: the distribution that it is about.
        parts: title, problem, promise, script, and more, which is empty or ends with a line end.
    """
    import jax

    return _TEMPLATES.get(library, _PLAIN).format(
        **parts,
        environment=environment(),
        backend=jax.default_backend(),
        python=compat.version("python"),
        system=platform.platform(),
        **{name: compat.version(name) or "none" for name in ("jax", "jaxlib", "flax")},
    )
