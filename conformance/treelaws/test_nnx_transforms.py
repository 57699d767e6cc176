"""Tests derived from the laws of Flax NNX' transforms."""

from treelaws.laws import nnx_transforms
from treelaws.testing import law_tests

TestTransforms = law_tests(nnx_transforms)
