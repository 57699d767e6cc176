"""Tests derived from the laws behind the recipes of is_leaf."""

from treelaws.laws import recipes_is_leaf
from treelaws.testing import law_tests

TestIsLeaf = law_tests(recipes_is_leaf)
