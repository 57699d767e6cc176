"""The laws of Optax, a class for each file of `treelaws/laws/optax/`."""

from treelaws.laws import optax
from treelaws.pytest_plugin.law_tests import law_tests

TestOptax = law_tests(optax)
