"""Addresses of laws on the site: a law stands on the page of its family, under its id."""

from __future__ import annotations

from treelaws.core import settings

from .law import Law

_PACKAGE = "treelaws.laws."


def family(law: Law) -> str:
    """Return the folder of `treelaws/laws/` that holds a law; empty for a law from elsewhere."""
    module = law.check.__module__
    return module.removeprefix(_PACKAGE).split(".")[0] if module.startswith(_PACKAGE) else ""


def address(law: Law) -> str:
    """Return the address of a law on the site; empty while the site has no address.

    A law from elsewhere, such as one in a user's test file, has no address either.
    """
    folder = family(law)
    if not settings.SITE or not folder:
        return ""
    return f"{settings.SITE.rstrip('/')}/laws/{folder}/#{law.id}"
