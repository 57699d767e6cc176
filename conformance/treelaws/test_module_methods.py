"""Tests derived from the laws of a Module's methods."""

from treelaws.laws import module_methods
from treelaws.testing import law_tests

TestMethods = law_tests(module_methods)
