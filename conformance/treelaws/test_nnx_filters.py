"""Tests derived from the laws of Flax NNX: nnx.filters."""

from treelaws.laws import nnx_filters
from treelaws.testing import law_tests

TestNnxFilters = law_tests(nnx_filters)
