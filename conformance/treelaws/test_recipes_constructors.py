"""Tests derived from the laws behind the recipes of constructors."""

from treelaws.laws import recipes_constructors
from treelaws.testing import law_tests

TestConstructors = law_tests(recipes_constructors)
