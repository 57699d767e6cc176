"""Whether a promise covers a pair of releases, by the dates of their uploads.

For JAX, its document says that the date of jaxlib matters.
"""

from __future__ import annotations

import datetime

from treelaws.releases.environments.index import uploaded
from treelaws.releases.environments.requirements import BadRequest

from .promises import PROMISES
from .running import Result


def promised(law: str, result: Result) -> bool:
    """Return whether a library promises that a pair of releases keeps a law.

    Args:
        law: id of the law.
        result: of the pair.
    """
    promise = PROMISES.get(law)
    if promise is None:
        return False
    dates = [_date(libraries.get("jaxlib", "")) for libraries in result.libraries]
    return None not in dates and promise.covers(*filter(None, dates))


def _date(version: str) -> datetime.date | None:
    try:
        found = uploaded("jaxlib", version) if version else None
    except BadRequest:
        # A release of one's own build.
        return None
    return found.date() if found else None
