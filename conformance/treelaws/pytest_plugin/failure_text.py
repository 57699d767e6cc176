"""How pytest shows a broken law: the whole report once, and one line in its summary."""

from __future__ import annotations

import pytest

# Characters of a line in the summary; the test that it stands beside names law and subject.
_WIDTH = 200


def _in_one_line(difference: str) -> str:
    text = " ".join(difference.split()) or "does not hold"
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


def show_failure(report: pytest.TestReport, item: pytest.Item, text: str, difference: str) -> None:
    """Let a pytest report show a text among the failures, and one line in its short summary.

    A text alone would stand in the summary as well, in full where pytest runs in CI.

    Args:
        report: the pytest report of a test, which is changed.
        item: the test.
        text: the report of the broken law.
        difference: how it broke, for the summary.
    """
    try:
        raise AssertionError(text)
    except AssertionError as raised:
        shown = pytest.ExceptionInfo.from_exception(raised).getrepr(style="value", chain=False)
    if shown.reprcrash is not None:
        shown.reprcrash.path = str(item.path)
        shown.reprcrash.lineno = (item.location[1] or 0) + 1
        shown.reprcrash.message = _in_one_line(difference)
    report.longrepr = shown
