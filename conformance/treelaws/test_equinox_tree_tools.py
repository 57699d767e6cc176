"""Tests derived from the laws of Equinox' smaller tree functions."""

from treelaws.laws import equinox_tree_print, equinox_tree_tools
from treelaws.testing import law_tests

TestTreeTools = law_tests(equinox_tree_tools)
TestTreePrint = law_tests(equinox_tree_print)
