"""Tests derived from the laws of Flax NNX modules as PyTrees and objects."""

from treelaws.laws import nnx_pytree
from treelaws.testing import law_tests

TestPytree = law_tests(nnx_pytree)
