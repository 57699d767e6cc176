"""Tests derived from the laws of Enumeration."""

from treelaws.laws import module_enumeration
from treelaws.testing import law_tests

TestEnumeration = law_tests(module_enumeration)
