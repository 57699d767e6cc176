"""Tests derived from the laws of Equinox' `is_array` and its relatives."""

from treelaws.laws import equinox_predicates
from treelaws.testing import law_tests

TestPredicates = law_tests(equinox_predicates)
