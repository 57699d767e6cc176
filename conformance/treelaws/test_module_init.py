"""Tests derived from the laws of a Module's construction."""

from treelaws.laws import module_init
from treelaws.testing import law_tests

TestInit = law_tests(module_init)
