"""The law, the subject and the known departure that a test is about."""

from __future__ import annotations

from typing import Any

import pytest

# Identifies a test; its node id differs between a clone and a wheel.
Key = tuple[str, str, str]


def is_law(item: pytest.Item) -> bool:
    """Return whether an item tests a law, or the witness of a known departure."""
    return item.get_closest_marker("law") is not None


def params(item: pytest.Item) -> dict[str, Any]:
    """Return the parameters of the test of a law."""
    return item.callspec.params  # pyright: ignore[reportAttributeAccessIssue]


def subject_of(item: pytest.Item) -> str:
    """Return the name of the subject of the test of a law."""
    found = params(item)
    if "subject" in found:
        return found["subject"]
    # The witness of a known departure, or a test made by `treelaws.parametrize`.
    return found["departure"].subject if "departure" in found else found["law"].subject.name


def departure_of(item: pytest.Item) -> Any:
    """Return the known departure whose witness a test replays; `None` if it tests the law."""
    found = params(item)
    # In a test made by `treelaws.parametrize`, the law holds it.
    return found.get("departure") or getattr(found.get("law"), "departure", None)


def key_of(item: pytest.Item) -> Key:
    """Return the law, the subject and the known departure that a test is about."""
    marker = item.get_closest_marker("law")
    assert marker is not None
    departure = departure_of(item)
    return marker.args[0], subject_of(item), departure.name if departure else ""
