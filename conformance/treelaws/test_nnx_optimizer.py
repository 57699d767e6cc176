"""Tests derived from the laws of Flax NNX' Optimizer."""

from treelaws.laws import nnx_optimizer
from treelaws.testing import law_tests

TestOptimizer = law_tests(nnx_optimizer)
