"""The law, the subject and the known departure that a test is about."""

from __future__ import annotations

from typing import Any

import pytest

# A test is known by these, not by its node id, which differs between a clone and a wheel.
Key = tuple[str, str, str]


def is_law(item: pytest.Item) -> bool:
    """Say whether an item is the test of a law, or of a known departure's witness."""
    return item.get_closest_marker("law") is not None


def params(item: pytest.Item) -> dict[str, Any]:
    """Give the parameters of the test of a law."""
    return item.callspec.params  # pyright: ignore[reportAttributeAccessIssue]


def subject_of(item: pytest.Item) -> str:
    """Name the subject of the test of a law."""
    found = params(item)
    if "subject" in found:
        return found["subject"]
    # The witness of a known departure, or a test that `treelaws.parametrize` has made.
    return found["departure"].subject if "departure" in found else found["law"].subject.name


def departure_of(item: pytest.Item) -> Any:
    """Give the known departure whose witness a test replays; `None` for that of a law itself."""
    found = params(item)
    # A test that `treelaws.parametrize` has made holds it in its law.
    return found.get("departure") or getattr(found.get("law"), "departure", None)


def key_of(item: pytest.Item) -> Key:
    """Give the law, the subject and the known departure that the test of a law is about."""
    marker = item.get_closest_marker("law")
    assert marker is not None
    departure = departure_of(item)
    return marker.args[0], subject_of(item), departure.name if departure else ""
