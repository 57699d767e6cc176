"""Tests derived from the laws behind the recipes of training."""

from treelaws.laws import recipes_training
from treelaws.testing import law_tests

TestTraining = law_tests(recipes_training)
