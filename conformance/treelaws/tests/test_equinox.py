"""The laws of Equinox, a class for each file of `treelaws/laws/equinox/`."""

from treelaws.laws import equinox
from treelaws.pytest_plugin.law_tests import law_tests

TestEquinox = law_tests(equinox)
