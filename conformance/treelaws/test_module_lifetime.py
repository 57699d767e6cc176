"""Tests derived from the laws of the lifetime of Modules."""

from treelaws.laws import module_lifetime
from treelaws.testing import law_tests

TestLifetime = law_tests(module_lifetime)
