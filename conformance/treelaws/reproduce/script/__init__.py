"""Standalone scripts: a broken law as a file that needs only the library under test."""

from .minimising import minimal
from .verifying import Offer, ScriptRun, offer, verify
from .writing import scripts

__all__ = ["Offer", "ScriptRun", "minimal", "offer", "scripts", "verify"]
