"""Tests derived from the laws of Flax NNX: nnx.split."""

from treelaws.laws import nnx_split
from treelaws.testing import law_tests

TestNnxSplit = law_tests(nnx_split)
