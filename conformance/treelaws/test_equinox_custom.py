"""Tests derived from the laws of Equinox' derivatives by hand."""

from treelaws.laws import equinox_custom
from treelaws.testing import law_tests

TestCustom = law_tests(equinox_custom)
