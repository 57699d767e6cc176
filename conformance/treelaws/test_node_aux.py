"""Tests derived from the laws of nodes: treedefs and aux data."""

from treelaws.laws import node_aux
from treelaws.testing import law_tests

TestAux = law_tests(node_aux)
