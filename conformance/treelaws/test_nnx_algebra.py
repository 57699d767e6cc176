"""Tests derived from the laws of Flax NNX: nnx.algebra."""

from treelaws.laws import nnx_algebra
from treelaws.testing import law_tests

TestNnxAlgebra = law_tests(nnx_algebra)
