"""The laws of idioms, a class for each file of `treelaws/laws/idioms/`."""

from treelaws.laws import idioms
from treelaws.pytest_plugin.law_tests import law_tests

TestIdioms = law_tests(idioms)
