"""Tests derived from the laws of Flax NNX: nnx.is_leaf."""

from treelaws.laws import nnx_is_leaf
from treelaws.testing import law_tests

TestNnxIsLeaf = law_tests(nnx_is_leaf)
