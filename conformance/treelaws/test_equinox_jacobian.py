"""Tests derived from the laws of Equinox' Jacobians and vector products."""

from treelaws.laws import equinox_jacobian
from treelaws.testing import law_tests

TestJacobian = law_tests(equinox_jacobian)
