"""Tests derived from the laws of Equinox' filters."""

from treelaws.laws import equinox_filter
from treelaws.testing import law_tests

TestFilter = law_tests(equinox_filter)
