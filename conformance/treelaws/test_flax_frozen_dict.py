"""Tests derived from the laws of FrozenDict."""

from treelaws.laws import flax_frozen_copies, flax_frozen_dict
from treelaws.testing import law_tests

TestFrozenDict = law_tests(flax_frozen_dict, flax_frozen_copies)
