"""Tests derived from the laws of Flax NNX: State as a mapping and as a PyTree."""

from treelaws.laws import nnx_state
from treelaws.testing import law_tests

TestNnxState = law_tests(nnx_state)
