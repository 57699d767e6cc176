"""Node types of Haiku."""

from .library import Library

LIBRARY = Library("haiku", {}, "import haiku as hk\n", distribution="dm-haiku")
