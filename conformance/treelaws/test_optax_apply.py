"""Tests derived from the laws of applying Optax' updates."""

from treelaws.laws import optax_apply
from treelaws.testing import law_tests

TestApply = law_tests(optax_apply)
