"""Tests derived from the laws of Equinox' state."""

from treelaws.laws import equinox_state
from treelaws.testing import law_tests

TestState = law_tests(equinox_state)
