"""Tests derived from the laws of the predicate is_leaf in JAX."""

from treelaws.laws import jax_is_leaf
from treelaws.testing import law_tests

TestIsLeaf = law_tests(jax_is_leaf)
