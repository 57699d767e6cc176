"""Tests derived from the laws of prefixes in JAX."""

from treelaws.laws import jax_prefix
from treelaws.testing import law_tests

TestPrefix = law_tests(jax_prefix)
