"""Tests derived from the laws of Equinox' `tree_equal`."""

from treelaws.laws import equinox_tree_equal
from treelaws.testing import law_tests

TestTreeEqual = law_tests(equinox_tree_equal)
