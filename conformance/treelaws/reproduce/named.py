"""Finds a known departure by its name, or by the id of its finding."""

from __future__ import annotations

from treelaws.core.departures import known
from treelaws.core.departures.departure import Departure
from treelaws.core.departures.finding import Finding
from treelaws.laws import all_laws
from treelaws.subjects.registry import subjects


def finding_named(id: str) -> Finding | None:
    """Return the finding with this id, or the one with a departure of this name, or `None`."""
    found = {one.id: one for one in known.findings()}
    departure = departure_named(id)
    return found.get(id) or (found.get(departure.finding) if departure else None)


def departure_named(name: str) -> Departure | None:
    """Return the known departure with this name, or the first of the finding with this id.

    Of the departures of a finding, one that applies to the installed versions comes first.
    """
    subject_names = [one.name for one in subjects()]
    every = sorted(known.departures(), key=lambda found: not found.applies)
    named = (
        one
        for found in every
        for one in known.concrete(found, all_laws(), subject_names)
        if name in (one.name, one.finding)
    )
    return next(named, None)
