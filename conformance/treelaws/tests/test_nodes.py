"""The laws of nodes, a class for each file of `treelaws/laws/nodes/`."""

from treelaws.laws import nodes
from treelaws.pytest_plugin.law_tests import law_tests

TestNodes = law_tests(nodes)
