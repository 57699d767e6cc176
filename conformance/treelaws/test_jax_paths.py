"""Tests derived from the laws of key paths in JAX."""

from treelaws.laws import jax_paths
from treelaws.testing import law_tests

TestPaths = law_tests(jax_paths)
