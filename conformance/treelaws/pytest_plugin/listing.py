"""`--list-laws` prints the selected laws and runs none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from .items import Key, is_law, key_of


class Listing:
    """Prints the selected laws and runs no test."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Print the laws instead of running them."""
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        keys = [key_of(item) for item in session.items if is_law(item)]
        if reporter is not None:
            for line in _lines(keys):
                reporter.write_line(line)
        return True


def list_here(config: pytest.Config) -> None:
    """Turn off pytest-xdist for this run: its workers print nothing."""
    config.option.numprocesses = None
    config.option.dist = "no"
    config.option.tx = []
    config.option.distload = False


def _lines(keys: Sequence[Key]) -> Iterator[str]:
    from treelaws.laws import law_named

    laws = [law_named(id) for id in sorted({law for law, _, departure in keys if not departure})]
    for law in laws:
        advisory = ", advisory" if law.advisory else ""
        yield f"{law.id}  [{law.level}{advisory}]  {law.statement}"
    pairs = sum(not departure for _, _, departure in keys)
    subjects = {subject for _, subject, departure in keys if not departure}
    witnesses = len(keys) - pairs
    yield (
        f"{_counted(len(laws), 'law')} on {_counted(len(subjects), 'subject')}: "
        f"{_counted(pairs, 'test')}; {_counted(witnesses, 'witness', 'es')} of known departures"
    )


def _counted(number: int, what: str, plural: str = "s") -> str:
    return f"{number} {what}{'' if number == 1 else plural}"
