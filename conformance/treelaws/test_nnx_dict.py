"""Tests derived from the laws of Flax NNX' Dict."""

from treelaws.laws import nnx_dict
from treelaws.testing import law_tests

TestDict = law_tests(nnx_dict)
