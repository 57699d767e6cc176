"""Tests derived from the laws of classes and equality of Modules."""

from treelaws.laws import module_types
from treelaws.testing import law_tests

TestTypes = law_tests(module_types)
