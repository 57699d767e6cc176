"""Tests derived from the laws of Flax NNX: nnx.metadata."""

from treelaws.laws import nnx_metadata
from treelaws.testing import law_tests

TestNnxMetadata = law_tests(nnx_metadata)
