"""Tests derived from the laws of Flax' traverse_util."""

from treelaws.laws import flax_traverse
from treelaws.testing import law_tests

TestTraverse = law_tests(flax_traverse)
