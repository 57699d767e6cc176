"""Tests derived from the laws of Flax NNX' List."""

from treelaws.laws import nnx_list
from treelaws.testing import law_tests

TestList = law_tests(nnx_list)
