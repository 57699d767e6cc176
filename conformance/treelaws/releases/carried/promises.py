"""What a library promises about files of another release, by law.

For the other laws no promise is known, and people rely on these formats.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping

_EXPORT = "https://docs.jax.dev/en/latest/export/export.html#compatibility-guarantees"


@dataclasses.dataclass(frozen=True)
class Promise:
    """A promise that another release reads what a release wrote.

    Args:
        text: the promise.
        source: link to it.
        newer: days by which the reading release may be newer than the writing one.
        older: days by which the reading release may be older.
    """

    text: str
    source: str
    newer: int
    older: int

    def covers(self, written: datetime.date, read: datetime.date) -> bool:
        """Return whether the promise is for releases of these dates."""
        days = (read - written).days
        return -self.older <= days <= self.newer


_EXPORTS = Promise(
    "an exported function runs with JAX up to 6 months newer and up to 3 weeks older",
    _EXPORT,
    # The shortest half of a year.
    newer=181,
    older=21,
)
PROMISES: Mapping[str, Promise] = {
    "jax.export.an_export_that_was_read_computes_the_same": _EXPORTS,
    "jax.carried.exported_programs_compute_the_same": _EXPORTS,
}
