"""Tests derived from the laws of register_dataclass in JAX."""

from treelaws.laws import jax_dataclasses
from treelaws.testing import law_tests

TestDataclasses = law_tests(jax_dataclasses)
