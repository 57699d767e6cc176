"""Tests derived from the laws of a Module's fields."""

from treelaws.laws import module_fields
from treelaws.testing import law_tests

TestFields = law_tests(module_fields)
