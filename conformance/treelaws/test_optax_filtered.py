"""Tests derived from the laws of Optax' filtered gradients."""

from treelaws.laws import optax_filtered
from treelaws.testing import law_tests

TestFiltered = law_tests(optax_filtered)
