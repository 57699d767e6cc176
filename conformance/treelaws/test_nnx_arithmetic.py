"""Tests derived from the laws of Flax NNX: nnx.arithmetic."""

from treelaws.laws import nnx_arithmetic
from treelaws.testing import law_tests

TestNnxArithmetic = law_tests(nnx_arithmetic)
