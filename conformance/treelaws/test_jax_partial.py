"""Tests derived from the laws of Partial in JAX."""

from treelaws.laws import jax_partial
from treelaws.testing import law_tests

TestPartial = law_tests(jax_partial)
