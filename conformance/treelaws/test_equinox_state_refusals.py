"""Tests derived from the laws of what Equinox' state refuses."""

from treelaws.laws import equinox_state_refusals
from treelaws.testing import law_tests

TestRefusals = law_tests(equinox_state_refusals)
