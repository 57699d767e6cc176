"""Imported once by the process that child processes are copied from: what takes seconds."""

from __future__ import annotations

from treelaws import compat
from treelaws.core.departures import known
from treelaws.laws import all_laws
from treelaws.subjects import builtin

from . import child

__all__ = ["child"]

all_laws()
builtin.load()
known.departures()
compat.installed("no_module_of_any_distribution")
