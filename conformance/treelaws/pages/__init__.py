"""The generated pages of the documentation, one subject a file."""

from __future__ import annotations


def every_page() -> dict[str, str]:
    """Return the text of each generated page by its path below the folder of the documentation."""
    # Here: `links` is for failures, which need neither every law nor the files of status.
    from treelaws.releases.matrix import page as releases

    from . import idioms, laws

    return {**laws.pages(), **idioms.pages(), **releases.pages()}
