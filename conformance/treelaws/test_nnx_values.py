"""Tests derived from the laws of Flax NNX: nnx.values."""

from treelaws.laws import nnx_values
from treelaws.testing import law_tests

TestNnxValues = law_tests(nnx_values)
