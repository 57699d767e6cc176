"""Tests derived from the laws of Flax NNX: nnx.is_leaf."""

import pytest

from treelaws.laws import nnx_is_leaf
from treelaws.testing import law_tests

# The name of a class that is gone is still documented, and warns.
pytestmark = pytest.mark.filterwarnings("ignore:'VariableState' was removed:DeprecationWarning")

TestNnxIsLeaf = law_tests(nnx_is_leaf)
