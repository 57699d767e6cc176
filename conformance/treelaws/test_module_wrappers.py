"""Tests derived from the laws of wrapped functions and decorated methods."""

from treelaws.laws import module_wrappers
from treelaws.testing import law_tests

TestWrappers = law_tests(module_wrappers)
