"""Standalone scripts: a broken law as a file that needs nothing but the library under test."""

from .verifying import Verdict, offered, verify
from .writing import scripts

__all__ = ["Verdict", "offered", "scripts", "verify"]
