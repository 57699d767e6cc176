"""Tests derived from the laws of Optax' chains and wrappers."""

from treelaws.laws import optax_combine
from treelaws.testing import law_tests

TestCombine = law_tests(optax_combine)
