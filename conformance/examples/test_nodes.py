"""The laws of nodes on every public node type of the installed libraries."""

from __future__ import annotations

import pytest

from treelaws import law_tests
from treelaws.core.departures.known import Departure
from treelaws.laws.nodes import aux, copies, flatten, keys, transforms
from treelaws.pytest_plugin.law_tests import replay, witnesses

from .finding import node_types
from .library import HERE, Library, libraries
from .making import reason, subjects_of, written

LIBRARIES = libraries()
INSTALLED = [one for one in LIBRARIES if not one.absent]
_NAMES = [subject.name for library in INSTALLED for subject in subjects_of(library)]

TestNodes = law_tests(flatten, aux, keys, copies, transforms, subjects=_NAMES)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda one: one.package)
def test_no_public_node_type_is_left_out(library: Library) -> None:
    if library.absent:
        pytest.skip(library.absent)
    tried, found = written(library), node_types(library) if library.searched else {}
    missing = [name for name in found if name not in tried and not reason(library, name)]
    assert not missing, f"write each into nodes, or into not_tried with the reason: {missing}"
    gone = [name for name in library.nodes if name not in found]
    assert not gone, f"{library.package} has no public node types of these names: {gone}"


@pytest.mark.parametrize("library", INSTALLED, ids=lambda one: one.package)
def test_what_is_not_tried_exists(library: Library) -> None:
    found = node_types(library) if library.searched else {}
    unused = [
        left
        for left in library.not_tried
        if not any(name == left or name.startswith(f"{left}.") for name in found)
    ]
    assert not unused, f"not_tried names nothing public: {unused}"


@pytest.mark.parametrize(
    "departure", [one for one in witnesses() if one.values[0].file.startswith(str(HERE))]
)
def test_departure_still_departs(departure: Departure) -> None:
    replay(departure)
