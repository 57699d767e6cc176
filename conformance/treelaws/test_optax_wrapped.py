"""Tests derived from the laws of Optax' transformations inside of others."""

from treelaws.laws import optax_wrapped
from treelaws.testing import law_tests

TestWrapped = law_tests(optax_wrapped)
