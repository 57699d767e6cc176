"""Tests derived from the laws of nodes: flatten and unflatten."""

from treelaws.laws import node_flatten
from treelaws.testing import law_tests

TestFlatten = law_tests(node_flatten)
