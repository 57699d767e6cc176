"""Tests derived from the laws of Flax NNX: nnx.update."""

from treelaws.laws import nnx_update
from treelaws.testing import law_tests

TestNnxUpdate = law_tests(nnx_update)
