"""Tests derived from the laws of Equinox' closures, checkpoints and callbacks."""

from treelaws.laws import equinox_closure
from treelaws.testing import law_tests

TestClosure = law_tests(equinox_closure)
