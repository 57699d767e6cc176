"""Tests derived from the laws of properties of Modules."""

from treelaws.laws import module_properties
from treelaws.testing import law_tests

TestProperties = law_tests(module_properties)
