"""Tests derived from the laws of subclasses of Modules."""

from treelaws.laws import module_subclass
from treelaws.testing import law_tests

TestSubclass = law_tests(module_subclass)
