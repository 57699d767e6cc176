"""The text of a known-departures file with one entry, for tests."""

from __future__ import annotations

_ENTRY = """
[example]
law = "{law}"
subject = "{subject}"
versions = {{ jax = "{versions}" }}
issue = "unreported"
reason = "example"
witness = "tree = [1]"
"""


def known_text(law: str, *, subject: str = "jax", versions: str = ">=0.4") -> str:
    """Write an entry whose witness breaks no law.

    Args:
        law: id of the law.
        subject: name of the subject; default `"jax"`.
        versions: specifier of jax; default every release.
    """
    return _ENTRY.format(law=law, subject=subject, versions=versions)
