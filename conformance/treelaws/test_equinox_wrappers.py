"""Tests derived from the laws of what Equinox' transformed functions share."""

from treelaws.laws import equinox_wrappers
from treelaws.testing import law_tests

TestWrappers = law_tests(equinox_wrappers)
