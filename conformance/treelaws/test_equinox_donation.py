"""Tests derived from the laws of what `equinox.filter_jit` donates."""

from treelaws.laws import equinox_donation
from treelaws.testing import law_tests

TestDonation = law_tests(equinox_donation)
