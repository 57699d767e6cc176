"""Tests derived from the laws of Equinox' `tree_at`."""

from treelaws.laws import equinox_tree_at, equinox_tree_at_errors
from treelaws.testing import law_tests

TestTreeAt = law_tests(equinox_tree_at)
TestTreeAtErrors = law_tests(equinox_tree_at_errors)
