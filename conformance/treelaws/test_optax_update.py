"""Tests derived from the laws of Optax' updates."""

from treelaws.laws import optax_update
from treelaws.testing import law_tests

TestUpdate = law_tests(optax_update)
