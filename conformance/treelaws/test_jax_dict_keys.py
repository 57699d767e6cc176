"""Tests derived from the laws of the keys of mappings in JAX."""

from treelaws.laws import jax_dict_keys
from treelaws.testing import law_tests

TestDictKeys = law_tests(jax_dict_keys)
