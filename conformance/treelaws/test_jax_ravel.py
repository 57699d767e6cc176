"""Tests derived from the laws of ravel_pytree in JAX."""

from treelaws.laws import jax_ravel
from treelaws.testing import law_tests

TestRavel = law_tests(jax_ravel)
