"""Tests derived from the laws of Equinox' gradients."""

from treelaws.laws import equinox_grad
from treelaws.testing import law_tests

TestGrad = law_tests(equinox_grad)
