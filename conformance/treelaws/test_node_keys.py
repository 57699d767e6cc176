"""Tests derived from the laws of nodes: key paths."""

from treelaws.laws import node_keys
from treelaws.testing import law_tests

TestKeys = law_tests(node_keys)
