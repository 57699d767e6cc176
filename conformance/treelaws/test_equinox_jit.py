"""Tests derived from the laws of `equinox.filter_jit`."""

from treelaws.laws import equinox_jit
from treelaws.testing import law_tests

TestJit = law_tests(equinox_jit)
