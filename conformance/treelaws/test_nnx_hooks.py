"""Tests derived from the laws of Flax NNX: nnx.hooks."""

import pytest

from treelaws.laws import nnx_hooks
from treelaws.testing import law_tests

# Deprecated since flax 0.12.7, and still supported.
pytestmark = pytest.mark.filterwarnings("ignore:Variable hooks are deprecated:UserWarning")

TestNnxHooks = law_tests(nnx_hooks)
