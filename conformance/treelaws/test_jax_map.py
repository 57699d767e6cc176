"""Tests derived from the laws of flatten, map and reduce in JAX."""

from treelaws.laws import jax_map
from treelaws.testing import law_tests

TestMap = law_tests(jax_map)
