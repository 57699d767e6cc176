"""Tests derived from the laws of Optax' masks."""

from treelaws.laws import optax_masking
from treelaws.testing import law_tests

TestMasking = law_tests(optax_masking)
