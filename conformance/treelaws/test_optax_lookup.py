"""Tests derived from the laws of Optax' look-ups."""

from treelaws.laws import optax_lookup
from treelaws.testing import law_tests

TestLookup = law_tests(optax_lookup)
