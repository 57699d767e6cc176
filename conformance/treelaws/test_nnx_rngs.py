"""Tests derived from the laws of Flax NNX' Rngs."""

from treelaws.laws import nnx_rngs
from treelaws.testing import law_tests

TestRngs = law_tests(nnx_rngs)
