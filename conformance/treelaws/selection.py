"""Which laws a run is about: those of some libraries, and a list of them instead of the run."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence

import pytest

from .chosen import LIBRARIES
from .places import is_law, place_of, subject_of

# Who asks for Flax asks for NNX, too; what mixes libraries is asked for by its own name.
_PARTS = {"flax": ("flax", "nnx")}


def check_libraries(names: Iterable[str]) -> None:
    """Refuse a library that has no laws.

    Raises:
        pytest.UsageError: there is no such library.
    """
    for name in names:
        if name not in LIBRARIES:
            close = difflib.get_close_matches(name.lower(), LIBRARIES, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            allowed = ", ".join(LIBRARIES)
            raise pytest.UsageError(f"--library: unknown {name!r}; {hint}choose from {allowed}")


class Libraries:
    """Leaves the laws of other libraries out; tests that are no laws stay.

    Args:
        names: libraries out of `LIBRARIES`.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._homes = {part for name in names for part in _PARTS.get(name, (name,))}

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the tests of laws whose subjects are of none of the libraries."""
        dropped = {item for item in items if is_law(item) and not self._wants(item)}
        if dropped:
            config.hook.pytest_deselected(items=list(dropped))
            items[:] = [item for item in items if item not in dropped]

    def _wants(self, item: pytest.Item) -> bool:
        from .subjects import subject

        return subject(subject_of(item)).home in self._homes


class Listing:
    """Prints the laws that were chosen and runs nothing."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Print in place of running."""
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        places = [place_of(item) for item in session.items if is_law(item)]
        if reporter is not None:
            for line in _lines(places):
                reporter.write_line(line)
        return True


def list_here(config: pytest.Config) -> None:
    """Keep the list in this process: pytest-xdist would leave it to workers, who print nothing."""
    config.option.numprocesses = None
    config.option.dist = "no"
    config.option.tx = []
    config.option.distload = False


def _lines(places: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    from .law import law_named

    laws = [law_named(id) for id in sorted({law for law, _, departure in places if not departure})]
    for law in laws:
        advisory = ", fails nothing" if law.advisory else ""
        yield f"{law.id}  [{law.level}{advisory}]  {law.statement}"
    pairs = sum(not departure for _, _, departure in places)
    subjects = {subject for _, subject, departure in places if not departure}
    witnesses = len(places) - pairs
    yield (
        f"{_counted(len(laws), 'law')} on {_counted(len(subjects), 'subject')}: "
        f"{_counted(pairs, 'test')}; {_counted(witnesses, 'witness', 'es')} of known departures"
    )


def _counted(number: int, what: str, plural: str = "s") -> str:
    return f"{number} {what}{'' if number == 1 else plural}"
