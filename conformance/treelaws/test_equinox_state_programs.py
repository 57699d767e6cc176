"""Tests derived from the laws of programs over Equinox' state."""

from treelaws.laws import equinox_state_programs
from treelaws.testing import law_tests

TestPrograms = law_tests(equinox_state_programs)
