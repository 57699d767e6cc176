"""Tests derived from the laws of Flax NNX: nnx.forms."""

from treelaws.laws import nnx_forms
from treelaws.testing import law_tests

TestNnxForms = law_tests(nnx_forms)
