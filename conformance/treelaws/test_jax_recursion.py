"""Tests derived from the laws of deep and cyclic trees in JAX."""

from treelaws.laws import jax_recursion
from treelaws.testing import law_tests

TestRecursion = law_tests(jax_recursion)
