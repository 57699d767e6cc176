"""Tests derived from the laws of tree structures in JAX."""

from treelaws.laws import jax_treedef
from treelaws.testing import law_tests

TestTreedef = law_tests(jax_treedef)
