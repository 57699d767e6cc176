"""Tests derived from the laws of Equinox' serialisation."""

from treelaws.laws import equinox_serialise, equinox_serialise_errors
from treelaws.testing import law_tests

TestSerialise = law_tests(equinox_serialise)
TestSerialiseErrors = law_tests(equinox_serialise_errors)
