"""The laws of Flax NNX, a class for each file of `treelaws/laws/nnx/`."""

from treelaws.laws import nnx
from treelaws.pytest_plugin.law_tests import law_tests

TestNnx = law_tests(nnx)
