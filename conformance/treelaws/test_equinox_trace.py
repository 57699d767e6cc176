"""Tests derived from the laws of Equinox' tracing, callbacks and derivatives by hand."""

from treelaws.laws import equinox_trace
from treelaws.testing import law_tests

TestTrace = law_tests(equinox_trace)
