"""Tests derived from the laws of Equinox' layers with state."""

from treelaws.laws import equinox_state_layers
from treelaws.testing import law_tests

TestLayers = law_tests(equinox_state_layers)
