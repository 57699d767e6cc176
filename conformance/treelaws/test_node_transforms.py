"""Tests derived from the laws of nodes: transforms."""

from treelaws.laws import node_transforms
from treelaws.testing import law_tests

TestTransforms = law_tests(node_transforms)
