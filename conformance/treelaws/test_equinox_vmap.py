"""Tests derived from the laws of `equinox.filter_vmap`."""

from treelaws.laws import equinox_vmap
from treelaws.testing import law_tests

TestVmap = law_tests(equinox_vmap)
