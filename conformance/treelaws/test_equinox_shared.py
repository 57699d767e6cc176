"""Tests derived from the laws of Equinox' `Shared`."""

from treelaws.laws import equinox_shared
from treelaws.testing import law_tests

TestShared = law_tests(equinox_shared)
