"""Tests derived from the laws behind the recipes of state."""

from treelaws.laws import recipes_state
from treelaws.testing import law_tests

TestState = law_tests(recipes_state)
