"""Tests derived from the laws of splitting trees of like leaves."""

from treelaws.laws import recipes_splitting
from treelaws.testing import law_tests

TestSplitting = law_tests(recipes_splitting)
