"""Tests derived from the laws of Optax' states."""

from treelaws.laws import optax_state
from treelaws.testing import law_tests

TestState = law_tests(optax_state)
