"""Tests derived from the laws of Flax NNX: nnx.graphdef."""

from treelaws.laws import nnx_graphdef
from treelaws.testing import law_tests

TestNnxGraphdef = law_tests(nnx_graphdef)
