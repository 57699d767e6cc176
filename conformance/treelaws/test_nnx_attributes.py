"""Tests derived from the laws of attributes of Flax NNX modules."""

from treelaws.laws import nnx_attribute_checks, nnx_attributes
from treelaws.testing import law_tests

TestAttributes = law_tests(nnx_attributes)
TestAttributeChecks = law_tests(nnx_attribute_checks)
