"""The laws of Flax outside NNX, a class for each file of `treelaws/laws/flax/`."""

from treelaws.laws import flax
from treelaws.pytest_plugin.law_tests import law_tests

TestFlax = law_tests(flax)
