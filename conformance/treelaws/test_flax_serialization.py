"""Tests derived from the laws of Flax' serialization."""

from treelaws.laws import flax_serialization
from treelaws.testing import law_tests

TestSerialization = law_tests(flax_serialization)
