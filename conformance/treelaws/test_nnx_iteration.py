"""Tests derived from the laws of iteration over Flax NNX graphs."""

from treelaws.laws import nnx_iteration
from treelaws.testing import law_tests

TestIteration = law_tests(nnx_iteration)
