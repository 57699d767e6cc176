"""Tests derived from the laws of restoring states with Flax."""

from treelaws.laws import flax_restore
from treelaws.testing import law_tests

TestRestore = law_tests(flax_restore)
