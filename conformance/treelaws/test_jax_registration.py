"""Tests derived from the laws of registration in JAX."""

from treelaws.laws import jax_registration
from treelaws.testing import law_tests

TestRegistration = law_tests(jax_registration)
