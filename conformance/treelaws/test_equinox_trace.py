"""Tests derived from the laws of Equinox' tracing without running."""

from treelaws.laws import equinox_trace
from treelaws.testing import law_tests

TestTrace = law_tests(equinox_trace)
