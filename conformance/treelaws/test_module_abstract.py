"""Tests derived from the laws of abstract Modules."""

from treelaws.laws import module_abstract
from treelaws.testing import law_tests

TestAbstract = law_tests(module_abstract)
