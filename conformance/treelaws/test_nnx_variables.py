"""Tests derived from the laws of Flax NNX: nnx.variables."""

from treelaws.laws import nnx_variables
from treelaws.testing import law_tests

TestNnxVariables = law_tests(nnx_variables)
