"""Tests derived from the laws of Flax NNX: nnx.hooks."""

from treelaws.laws import nnx_hooks
from treelaws.testing import law_tests

TestNnxHooks = law_tests(nnx_hooks)
