"""Tests derived from the laws of Flax NNX: nnx.pop."""

from treelaws.laws import nnx_pop
from treelaws.testing import law_tests

TestNnxPop = law_tests(nnx_pop)
