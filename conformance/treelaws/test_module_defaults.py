"""Tests derived from the laws of default values of fields."""

from treelaws.laws import module_defaults
from treelaws.testing import law_tests

TestDefaults = law_tests(module_defaults)
