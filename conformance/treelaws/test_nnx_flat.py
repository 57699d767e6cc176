"""Tests derived from the laws of Flax NNX: nnx.flat."""

from treelaws.laws import nnx_flat
from treelaws.testing import law_tests

TestNnxFlat = law_tests(nnx_flat)
