"""Tests derived from the laws of Flax NNX' loops."""

from treelaws.laws import nnx_loops
from treelaws.testing import law_tests

TestLoops = law_tests(nnx_loops)
