"""Tests derived from the laws of Optax' hyperparameters."""

from treelaws.laws import optax_hyperparams
from treelaws.testing import law_tests

TestHyperparams = law_tests(optax_hyperparams)
