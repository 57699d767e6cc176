"""Tests derived from the laws of Partial."""

from treelaws.laws import module_partial
from treelaws.testing import law_tests

TestPartial = law_tests(module_partial)
