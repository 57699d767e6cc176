"""Tests derived from the laws of flax.struct."""

from treelaws.laws import flax_struct
from treelaws.testing import law_tests

TestStruct = law_tests(flax_struct)
