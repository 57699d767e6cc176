"""The laws of JAX, a class for each file of `treelaws/laws/jax/`."""

from treelaws.laws import jax
from treelaws.pytest_plugin.law_tests import law_tests

TestJax = law_tests(jax)
