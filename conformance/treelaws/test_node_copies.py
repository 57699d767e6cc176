"""Tests derived from the laws of nodes: copies."""

from treelaws.laws import node_copies
from treelaws.testing import law_tests

TestCopies = law_tests(node_copies)
