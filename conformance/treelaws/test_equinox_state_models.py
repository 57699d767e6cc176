"""Tests derived from the laws of models that Equinox made with state."""

from treelaws.laws import equinox_state_models
from treelaws.testing import law_tests

TestModels = law_tests(equinox_state_models)
