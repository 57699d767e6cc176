"""Tests derived from the laws of immutable Modules."""

from treelaws.laws import module_frozen
from treelaws.testing import law_tests

TestFrozen = law_tests(module_frozen)
