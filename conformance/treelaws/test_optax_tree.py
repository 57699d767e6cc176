"""Tests derived from the laws of Optax' arithmetic of trees."""

from treelaws.laws import optax_tree
from treelaws.testing import law_tests

TestTree = law_tests(optax_tree)
